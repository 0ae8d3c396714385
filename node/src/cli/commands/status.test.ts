import { expect, test } from 'vitest'
import { judgeLine } from './status.ts'

test('a gateway says how often the judge was right', () => {
  const counts = { truePositives: 3, falsePositives: 1, falseNegatives: 2, trueNegatives: 5 }
  const judge = { round: 3, answers: 11, solvers: 2, ...counts, balancedAccuracy: 0.716, calibrationError: 0.104 }
  expect(judgeLine(judge)).toBe(
    `in round 3, of 11 answers of 2 solvers, it called 3 right ones right and 2 wrong, 5 wrong ones wrong and 1 right
           balanced accuracy 0.72, calibration error 0.10`,
  )
  expect(judgeLine({ ...judge, solvers: 1, balancedAccuracy: null })).toMatch(/of one solver, .* accuracy unknown/s)
})
