import { expect, test } from 'vitest'
import { calibratedProbability } from '../../node/src/environments/codezero/judge/judgeCalibration.ts'
import { balancedAccuracy } from './balancedAccuracy.ts'
import { fitCalibration } from './fitCalibration.ts'

test('A calibration separates right from wrong by the evidence, and leaves out what was not read.', () => {
  const right = Array.from({ length: 60 }, (_, i) => ({ gap: (i % 7) / 10, nll: 0.1 }))
  const wrong = Array.from({ length: 20 }, (_, i) => ({ gap: 4 + (i % 9), nll: 0.1 + (i % 3) }))
  const evidence = [...right, ...wrong, null]
  const labels = [...right.map(() => true), ...wrong.map(() => false), true]
  const calibration = fitCalibration(evidence, labels)
  expect(calibration.gap).toBeLessThan(0)
  const predicted = evidence.map(found => (found ? calibratedProbability(found, calibration) : 0))
  expect(balancedAccuracy(predicted.slice(0, 80), labels.slice(0, 80)).balanced).toBe(1)
})

test('Balanced accuracy weighs both classes the same.', () => {
  const found = balancedAccuracy([0.9, 0.9, 0.9, 0.1, 0.9], [true, true, true, true, false])
  expect(found).toEqual({ balanced: 0.375, acceptsRight: 0.75, rejectsWrong: 0, right: 4, wrong: 1 })
})
