import { expect, test } from 'vitest'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { leastStepBytes, type StepShape, stepPlan, wholeGraphBytes } from './stepPlan.ts'

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
  groups: 1,
  prompt: 0,
  scored: 256,
  leastScored: 256,
  trained: 8_798_208,
  trainedInLayer: 366_592,
  tablesTrained: false,
  wholeHead: false,
}

test('with little memory a step computes layers twice and few rows at a time, and its parts stay the same', () => {
  const budgets = [16e9, 3e9, 2.3e9, 1.6e9, 1.2e9]
  const plans = budgets.map(bytes => stepPlan(qwen05, shape, bytes))
  expect(plans.map(plan => plan.kept)).toEqual(['products', 'products', 'input', 'input', 'input'])
  expect(new Set(plans.map(plan => plan.sequences)).size).toBe(1)
  for (const [i, bytes] of budgets.entries()) {
    expect(plans[i]?.bytes).toBeLessThanOrEqual(bytes)
    expect(plans[i]?.headRows).toBeGreaterThanOrEqual(64)
  }
})

test('a prompt that is shared is planned for once', () => {
  const [apart, shared] = [0, 128].map(prompt => stepPlan(qwen05, { ...shape, batch: 3, prompt }, 16e9).bytes) as [
    number,
    number,
  ]
  expect(shared).toBeLessThan(0.9 * apart)
})

test('a prompt longer than a part is computed once for as many completions as are as long as it', () => {
  const long = { ...shape, batch: 16, length: 2_200, prompt: 2_000, scored: 200 }
  expect(stepPlan(qwen05, long, 64e9).sequences).toBe(10)
})

test('a step that cannot fit is refused, with what it needs', () => {
  expect(() => stepPlan(qwen05, shape, 1e8)).toThrow(/a step needs 0\.\d GB where 0\.1 GB may be used/)
})

test('a trained output layer takes arrays of the whole vocabulary, a frozen one of a part', () => {
  const [frozen, trained] = [false, true].map(tablesTrained => stepPlan(qwen05, { ...shape, tablesTrained }, 64e9))
  expect(frozen?.headRows).toBe(1024)
  const tables = 4 * 2 * qwen05.vocabSize * qwen05.hiddenSize
  expect((trained?.bytes ?? 0) - (frozen?.bytes ?? 0)).toBeGreaterThan(tables + 5e8)
})

test('ratios of sequences take the output layer in one piece, and keep all products all the same', () => {
  const whole = stepPlan(qwen05, { ...shape, wholeHead: true }, 2.6e9)
  expect(whole.kept).toBe('products')
})

test('rows at a time stay the same for batches of like size, so that a pass is not built again for each', () => {
  const rows = [256, 251, 240, 233].map(scored => stepPlan(qwen05, { ...shape, scored }, 2.6e9).headRows)
  expect(new Set(rows).size).toBe(1)
})

test('the rows of a trained output layer are the same for all memory but the least, which takes smaller parts', () => {
  const whole = {
    ...shape,
    length: 100,
    scored: 100,
    batch: 16,
    trained: 5e8,
    trainedInLayer: 1.5e7,
    tablesTrained: true,
  }
  const least = leastStepBytes(qwen05, whole)
  const plans = [1, 1.5, 2, 4].map(times => stepPlan(qwen05, whole, times * least))
  expect(plans.map(plan => [plan.sequences, plan.headRows])).toEqual([
    [2, 64],
    [12, 1280],
    [12, 1280],
    [12, 1280],
  ])
})

test('one graph of a model of 0.5 billion parameters is estimated at more than a layered step', () => {
  for (const each of [shape, { ...shape, trained: 494e6, trainedInLayer: 15e6, tablesTrained: true }])
    expect(wholeGraphBytes(qwen05, each, 2048)).toBeGreaterThan(stepPlan(qwen05, each, 100e9).bytes)
})
