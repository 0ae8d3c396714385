import { expect, test } from 'vitest'
import { judgeLine, reachableLine, settledLine } from './status.ts'

test('a gateway says how often the judge was right', () => {
  const counts = { truePositives: 3, falsePositives: 1, falseNegatives: 2, trueNegatives: 5 }
  const judge = { round: 3, answers: 11, solvers: 2, ...counts, balancedAccuracy: 0.716, calibrationError: 0.104 }
  expect(judgeLine(judge)).toBe(
    `in round 3, of 11 answers of 2 solvers, it called 3 right ones right and 2 wrong, 5 wrong ones wrong and 1 right
           balanced accuracy 0.72, calibration error 0.10`,
  )
  expect(judgeLine({ ...judge, solvers: 1, balancedAccuracy: null })).toMatch(/of one solver, .* accuracy unknown/s)
})

test('A round without a score is told apart from a score of 0', () => {
  const settled = { round: 7, scoreMilli: 0, votes: 3 }
  expect(settledLine({ ...settled, outcome: 'scored' })).toBe('round 7: 0.000 points, by 3 votes')
  expect(settledLine({ ...settled, outcome: 'unavailable' })).toBe(
    "round 7: no score, most of 3 votes were 'unavailable' (npx waggle why --round 7)",
  )
  expect(settledLine({ ...settled, outcome: 'no quorum', votes: 1 })).toContain('no score, only 1 votes were opened')
})

test('a peer that runs says how others reach it, and what to do if they do not', () => {
  const atMs = 1_000_000
  const reached = (by: 'relay' | 'nothing', nowMs = atMs) =>
    reachableLine({ peers: 1, alone: null, reachability: { by, publicAddresses: [] }, atMs }, nowMs, false)
  expect(reached('relay')).toBe('\nreachable  through a relay')
  expect(reached('nothing')).toMatch(/^\nreachable {2}not from other networks.*\n {11}Forward a port/)
  expect(reached('relay', atMs + 600_000)).toBe('')
  expect(reachableLine(null, atMs, false)).toBe('')
})
