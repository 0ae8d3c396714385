import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights } from '#model/decoder/weights.ts'
import { groupStep } from './groupStep.ts'
import { createTrainer } from './trainer.ts'
import { TrainerError } from './trainerError.ts'
import type { TrainerOptions } from './trainerOptions.ts'

const completion = (tokens: number[], reward: number) => ({
  tokens: Int32Array.from(tokens),
  logprobs: new Float32Array(tokens.length).fill(-3),
  reward,
})
const groups = [{ prompt: Int32Array.of(1, 2), completions: [completion([4, 5], 0), completion([6, 7], 1)] }]

test('options of a step that make no sense are refused by name, and no weight changes', async () => {
  const weights = tinyWeights()
  const before = hashWeights(weights)
  const trainer = await createTrainer(tinyConfig, weights)
  const wrong: [options: object, says: RegExp][] = [
    [{ learningRate: Number.NaN }, /^NaN is not a learning rate/],
    [{ learningRate: -1e-3 }, /^-0\.001 is not a learning rate/],
    [{ learningRate: undefined }, /^undefined is not a learning rate/],
    [{ learningRate: { kind: 'linear', peak: 1e-3 } }, /is not a learning rate/],
    [{ learningRate: { kind: 'polynomial', peak: 1e-3, totalSteps: 5 } }, /is not a learning rate/],
    [{ lossType: 'gspo' }, /^lossType: .*"grpo"/],
    [{ importanceSamplingLevel: 'group' }, /^importanceSamplingLevel: /],
    [{ importanceSamplingMode: 'mask' }, /^importanceSamplingMode: /],
    [{ importanceSamplingCap: -1 }, /^importanceSamplingCap: /],
    [{ importanceSamplingFloor: -1 }, /^importanceSamplingFloor: /],
    [{ importanceSamplingFloorNats: Number.NaN }, /^importanceSamplingFloorNats: /],
    [{ maskTruncatedAlternatives: 0.9 }, /^maskTruncatedAlternatives: /],
    [{ scaleRewards: 'std' }, /^scaleRewards: .*"batch"/],
    [{ klBeta: Number.NaN }, /^klBeta: /],
    [{ klBeta: -1 }, /^klBeta: /],
    [{ clipLow: Number.NaN }, /^clipLow: /],
    [{ clipHigh: -5 }, /^clipHigh: /],
    [{ maxCompletionLength: 0.5 }, /^maxCompletionLength: /],
  ]
  for (const [options, says] of wrong) {
    const refused = await groupStep(trainer, groups, { learningRate: 1e-3, ...options }).catch(error => error)
    expect(refused, JSON.stringify(options)).toBeInstanceOf(TrainerError)
    expect(refused.message).toMatch(says)
  }
  expect(hashWeights(weights)).toBe(before)
  expect(await groupStep(trainer, groups, { learningRate: 1e-3, clipHigh: Number.POSITIVE_INFINITY })).toMatchObject({
    groupsUsed: 1,
  })
  await trainer.dispose()
  await trainer.dispose()
  await expect(groupStep(trainer, groups, { learningRate: 1e-3 })).rejects.toThrow('the trainer was disposed of')
})

test.each([
  ['optimizer.beta2', { optimizer: { kind: 'adamW', beta2: Number.NaN } }],
  ['optimizer.beta1', { optimizer: { kind: 'adamW', beta1: 2 } }],
  ['optimizer.epsilon', { optimizer: { kind: 'muon', epsilon: 0 } }],
  ['optimizer.kind', { optimizer: { kind: 'sgd' } }],
  ['clipNorm', { clipNorm: Number.NaN }],
  ['temperature', { temperature: 0 }],
  ['precision', { precision: 'int4' }],
])('a trainer is refused by the option %s', async (name, options) => {
  const made = createTrainer(tinyConfig, tinyWeights(), options as TrainerOptions)
  await expect(made).rejects.toThrow(`${name}: `)
})

test('every supported option of a trainer is accepted', async () => {
  const muon = {
    kind: 'muon',
    beta1: 0.9,
    beta2: 0.98,
    epsilon: 1e-8,
    weightDecay: 0,
    momentum: 0.9,
    threads: 1,
  } as const
  const limits = { clipNorm: 1, maxTokens: 64, memoryBytes: 1e9, threads: 1, device: 'cpu' } as const
  const trainer = await createTrainer(tinyConfig, tinyWeights(), {
    ...limits,
    temperature: 1,
    topP: 0.999,
    optimizer: muon,
    parameters: 'layers',
    layered: true,
    precision: 'float32',
  } satisfies Required<Omit<TrainerOptions, 'adapter'>>)
  await trainer.dispose()
})
