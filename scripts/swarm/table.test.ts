import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LiveTable, type TableRow } from './table.ts'

const scored: TableRow = {
  ...{ round: 3, tasks: 24, rollouts: 192, taken: 48, meanReward: 0.5, passAt1: null, seconds: 20 },
  ...{ votes: 9, abstentions: 0, settled: 3, scored: 3, settledPoints: 1_500 },
}

function printed(row: TableRow): string[] {
  const out = new PassThrough()
  new LiveTable(out as unknown as NodeJS.WriteStream).update([row])
  return String(out.read()).trimEnd().split('\n').slice(1)
}

test('a table goes on below other lines with the rows that it has not printed', () => {
  const out = new PassThrough()
  const table = new LiveTable(out as unknown as NodeJS.WriteStream)
  const next = { ...scored, round: 4 }
  table.update([scored, { ...next, settledPoints: null }])
  table.clear()
  out.write('pass@1\n')
  table.update([scored, next])
  const firstWords = String(out.read()).split('\n')
  expect(firstWords.map(line => line.trim().split(/\s+/)[0])).toEqual(['round', '3', 'pass@1', '4', ''])
})

test('a score of 0 is a figure, and no score is none, with the votes that gave none', () => {
  const zero = printed({ ...scored, meanReward: 0, settledPoints: 0 })
  expect(zero).toHaveLength(1)
  expect(zero[0]).toContain('0.000')
  const none = printed({ ...scored, meanReward: null, settledPoints: 0, abstentions: 9, scored: 0 })
  expect(none[0]).not.toContain('0.000')
  expect(none[1]).toContain("9 of 9 votes were 'unavailable', so that nobody got a score")
})

test('some abstentions are reported, and whom they left without a score', () => {
  expect(printed({ ...scored, abstentions: 1 })[1]).toContain("1 of 9 votes were 'unavailable': the others")
  expect(printed({ ...scored, abstentions: 2, scored: 2 })[1]).toContain('only 2 of 3 solvers got a score')
})

test('rounds without a quorum are told apart from abstentions', () => {
  expect(printed({ ...scored, votes: 2, scored: 0, meanReward: null })[1]).toContain('too few votes were opened')
})

test('rounds in which nobody committed are named once, and one that is still open is not among them', () => {
  const out = new PassThrough()
  const table = new LiveTable(out as unknown as NodeJS.WriteStream)
  const rows = [scored, { ...scored, round: 6, settledPoints: null }, { ...scored, round: 8 }]
  table.update(rows)
  table.update(rows)
  const lines = String(out.read()).trimEnd().split('\n').slice(1)
  expect(lines.map(line => line.trim().split(/ {2,}|\. /)[0])).toEqual([
    '3',
    'no solver committed its answers in time in round 4, 5, 7',
    '8',
  ])
})
