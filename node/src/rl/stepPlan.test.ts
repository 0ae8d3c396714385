import { expect, test } from 'vitest'
import { tinyConfig } from '#model/tinyDecoder.ts'
import { type StepShape, stepPlan } from './stepPlan.ts'

const qwen05 = {
  ...tinyConfig,
  vocabSize: 151_936,
  hiddenSize: 896,
  layers: 24,
  heads: 14,
  kvHeads: 2,
  headDim: 64,
  intermediateSize: 4864,
}

const shape: StepShape = {
  batch: 4,
  length: 384,
  prompt: 0,
  scored: 256,
  trained: 8_798_208,
  trainedInLayer: 366_592,
  tablesTrained: false,
  wholeHead: false,
}

test('with much memory a step runs whole, with little in parts, with less computing layers twice', () => {
  const budgets = [16e9, 2e9, 1.2e9, 0.9e9, 0.5e9]
  const plans = budgets.map(bytes => stepPlan(qwen05, shape, bytes))
  expect(plans.map(plan => plan.kept)).toEqual(['products', 'products', 'products', 'input', 'input'])
  const sequences = plans.map(plan => plan.sequences)
  expect(sequences[0]).toBe(4)
  expect(sequences[1]).toBeLessThan(4)
  expect(sequences[2]).toBe(1)
  for (const [i, bytes] of budgets.entries()) {
    expect(plans[i]?.bytes).toBeLessThanOrEqual(bytes)
    expect(plans[i]?.headRows).toBeGreaterThanOrEqual(64)
  }
})

test('a prompt that is shared is planned for once', () => {
  const [apart, shared] = [0, 128].map(prompt => stepPlan(qwen05, { ...shape, prompt }, 16e9).bytes) as [number, number]
  expect(shared).toBeLessThan(0.85 * apart)
})

test('a step that cannot fit is refused, with what it needs', () => {
  expect(() => stepPlan(qwen05, shape, 1e8)).toThrow(/a step needs 0\.\d GB where 0\.1 GB may be used/)
})

test('ratios of sequences keep the output layer in one piece', () => {
  const plan = stepPlan(qwen05, { ...shape, wholeHead: true }, 3e9)
  expect(plan.headRows).toBe(plan.sequences * 256)
})
