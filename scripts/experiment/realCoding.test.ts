import { expect, test } from 'vitest'
import { codingRows } from './realCoding.ts'
import type { ArmRun, Point } from './runArm.ts'

/** A run whose peers begin at 0.1. */
function runTo(...passAt1: number[]): ArmRun {
  const point = (round: number, at: number[]): Point => ({
    ...{ round, passAt1: at, tokens: 0, updates: 0, taken: 0, seconds: 0, judged: [] },
  })
  return { points: [point(0, [0.1]), point(24, passAt1)], refused: {} }
}

test('the gain is over the mean of runs, and sharing is compared with learning alone', () => {
  const rows = codingRows({ solo: [runTo(0.4), runTo(0.5)], shared: [runTo(0.5, 0.6, 0.7)] })
  expect(rows).toMatchObject([
    { name: 'real-coding-gain', value: expect.closeTo(0.35), ok: true },
    { name: 'real-coding-sharing-gain', value: expect.closeTo(0.15), ok: true },
  ])
  expect(rows[0]?.conditions).toContain(
    'solo 0.450 ± 0.635 after 24 rounds (2 seeds); shared 0.600 after 24 rounds (1 seed)',
  )
})

test('an arm that was not run has no value, and nothing holds without one', () => {
  expect(codingRows({ solo: [], shared: [runTo(0.5)] })).toMatchObject([
    { name: 'real-coding-gain', value: null, ok: false, notRun: true },
    { name: 'real-coding-sharing-gain', value: null, ok: false, notRun: true },
  ])
})
