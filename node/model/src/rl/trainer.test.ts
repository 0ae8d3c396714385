import { expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { hashWeights } from '#model/decoder/weights.ts'
import { groupStep } from './groupStep.ts'
import { createTrainer, type TrainingSequence } from './trainer.ts'
import type { TrainerOptions } from './trainerOptions.ts'

const config = { ...tinyConfig, hiddenSize: 32, intermediateSize: 64, maxPositions: 32 }

/** A toy: tokens, a separator (0), then the same tokens again, which only attention can know. */
function copies(count: number, seed: string): TrainingSequence[] {
  const random = randomStream('copies', seed)
  return Array.from({ length: count }, () => {
    const half = Array.from({ length: 3 + random.integer(2) }, () => 1 + random.integer(11))
    const scored = Int32Array.from(half, (_, i) => half.length + 1 + i)
    return { tokens: Int32Array.from([...half, 0, ...half]), scored, weights: new Float32Array(half.length).fill(1) }
  })
}

async function train(steps: number, options: TrainerOptions, seed = 'toy') {
  const weights = initWeights(config, seed)
  const trainer = await createTrainer(config, weights, options)
  const losses: number[] = []
  for (let i = 0; i < steps; i++) losses.push((await trainer.crossEntropyStep(copies(32, `${i}`), 1e-2)).loss)
  return { trainer, weights, losses, hash: hashWeights(weights) }
}

for (const kind of ['adamW', 'muon'] as const) {
  test(`${kind} learns to copy: the loss falls from that of guessing to a third of what is possible without attention`, async () => {
    const { trainer, losses } = await train(70, { threads: 1, optimizer: { kind } })
    await trainer.dispose()
    expect(losses[0]).toBeGreaterThan(3) // log 24 = 3.18
    expect(losses.slice(-5).reduce((a, b) => a + b) / 5).toBeLessThan(Math.log(11) / 3)
  })

  test(`${kind} is bitwise identical on one thread, on two, and again`, async () => {
    const hashes = []
    for (const threads of [1, 2, 2]) {
      const { trainer, hash } = await train(4, { threads, optimizer: { kind } })
      await trainer.dispose()
      hashes.push(hash)
    }
    expect(new Set(hashes).size).toBe(1)
  })

  test(`${kind} resumes from a saved state bit for bit`, async () => {
    const first = await train(3, { threads: 1, optimizer: { kind } })
    const state = await first.trainer.state()
    const second = await createTrainer(
      config,
      new Map([...first.weights].map(([n, w]) => [n, { ...w, data: w.data.slice() }])),
      {
        threads: 1,
        optimizer: { kind },
      },
    )
    second.load(state)
    for (const trainer of [first.trainer, second]) await trainer.crossEntropyStep(copies(8, 'next'), 5e-3)
    expect(hashWeights(second.weights)).toBe(hashWeights(first.weights))
    await first.trainer.dispose()
    await second.dispose()
  })
}

test('a batch in several parts has the loss and the gradient of the whole', async () => {
  const reports = []
  for (const maxTokens of [10_000, 60]) {
    const trainer = await createTrainer(config, initWeights(config, 'parts'), { threads: 1, maxTokens })
    reports.push(await trainer.crossEntropyStep(copies(16, 'parts'), 1e-3))
    await trainer.dispose()
  }
  expect(reports[1]?.loss).toBeCloseTo(reports[0]?.loss as number, 5)
  expect(reports[1]?.gradientNorm).toBeCloseTo(reports[0]?.gradientNorm as number, 5)
  expect(reports[1]?.tokens).toBe(reports[0]?.tokens)
})

test('a sequence without scored tokens changes nothing, also where it is a part of its own', async () => {
  const [one] = copies(1, 'empty') as [TrainingSequence]
  const empty = { tokens: Int32Array.of(1, 2, 3), scored: new Int32Array(), weights: new Float32Array() }
  const outcome = async (batch: readonly TrainingSequence[]) => {
    const weights = initWeights(config, 'empty')
    const trainer = await createTrainer(config, weights, { threads: 1, maxTokens: 1 })
    const { loss } = await trainer.crossEntropyStep(batch, 1e-3).finally(() => trainer.dispose())
    return { loss, hash: hashWeights(weights) }
  }
  expect(await outcome([empty, one])).toEqual(await outcome([one]))
  await expect(outcome([empty])).rejects.toMatchObject({ code: 'MODEL_INPUT' })
})

test('a loss that is not finite is refused before any weight changes', async () => {
  const weights = initWeights(config, 'nan')
  const before = hashWeights(weights)
  const trainer = await createTrainer(config, weights, { threads: 1 })
  const [sequence] = copies(1, 'nan') as [TrainingSequence]
  const broken = { ...sequence, weights: sequence.weights.map(() => Number.NaN) }
  await expect(trainer.crossEntropyStep([broken], 1e-3)).rejects.toMatchObject({ code: 'TRAINER' })
  expect(hashWeights(weights)).toBe(before)
  await trainer.dispose()
})

test('a KL penalty that is infinite is refused by the sequence and the token, before any weight changes', async () => {
  const weights = initWeights(config, 'kl')
  const before = hashWeights(weights)
  const trainer = await createTrainer(config, weights, { threads: 1 })
  const scored = Int32Array.of(2, 3)
  const sequence = { tokens: Int32Array.of(1, 2, 3, 4), scored, advantage: 1, oldLogprobs: Float32Array.of(-3, -3) }
  const batch = [[-3, -3] as const, [-3, 100] as const].map(reference => ({
    ...sequence,
    referenceLogprobs: Float32Array.from(reference),
  }))
  const step = { learningRate: 1e-3, clipLow: 0.2, clipHigh: 0.2, klBeta: 0.04, lossType: 'grpo' } as const
  await expect(trainer.policyStep(batch, step)).rejects.toMatchObject({
    message: expect.stringMatching(/^the KL penalty of sequence 1 is infinite: its scored token 1 is 10\d nats less/),
    hint: expect.stringContaining('klBeta'),
  })
  expect(hashWeights(weights)).toBe(before)
  await trainer.dispose()
})

test('a policy step makes rewarded completions likelier and the others less likely', async () => {
  const trainer = await createTrainer(config, initWeights(config, 'policy'), { threads: 1 })
  const completion = (token: number, reward: number) => ({
    tokens: Int32Array.of(token, token),
    logprobs: Float32Array.of(-3.2, -3.2),
    reward,
  })
  const group = { prompt: Int32Array.of(1, 2), completions: [completion(5, 1), completion(6, 0), completion(7, 0)] }
  const losses = []
  for (let i = 0; i < 3; i++)
    losses.push((await groupStep(trainer, [group], { learningRate: 1e-3 })).step?.loss as number)
  expect(losses[2]).toBeLessThan(losses[0] as number)
  await trainer.dispose()
})

test.each([
  ['clipped', 1, {}],
  ['bounded', -1, { delta: 4 }],
  ['free', -1, {}],
])(
  'a token whose ratio is infinite in float32 and %s has no gradient; other tokens have',
  async (_, advantage, options) => {
    const trainer = await createTrainer(config, initWeights(config, 'policy'), { threads: 1, clipNorm: 1e9 })
    const sequence = { tokens: Int32Array.of(1, 2, 3, 4), scored: Int32Array.of(2, 3), advantage }
    const [own] = await trainer.logprobs([sequence])
    const step = { learningRate: 1e-3, clipLow: 0.2, clipHigh: 0.28, klBeta: 0, ...options }
    const oldLogprobs = Float32Array.of(-200, own?.[1] as number)
    const { gradientNorm } = await trainer.policyStep([{ ...sequence, oldLogprobs }], step)
    expect(gradientNorm).toBeGreaterThan(0)
    expect(gradientNorm).toBeLessThan(100)
    await trainer.dispose()
  },
)

test('completions of another policy count by their importance, up to the cap', async () => {
  const logprobs = Float32Array.of(-3, -2)
  const losses: number[] = []
  for (const lower of [0, Math.log(1.5), 5]) {
    const trainer = await createTrainer(config, initWeights(config, 'policy'), { threads: 1 })
    const samplingLogprobs = logprobs.map(logprob => logprob - lower)
    const completions = [1, 0].map((reward, i) => ({
      tokens: Int32Array.of(4, 5 + i),
      logprobs,
      samplingLogprobs,
      reward,
    }))
    const { step } = await groupStep(trainer, [{ prompt: Int32Array.of(1, 2), completions }], { learningRate: 1e-3 })
    losses.push(step?.loss as number)
    await trainer.dispose()
  }
  const [own = 0, likelier, far] = losses
  expect(own).not.toBe(0)
  expect(likelier).toBeCloseTo(1.5 * own, 5)
  expect(far).toBeCloseTo(2 * own, 5)
})

test('groups without a lesson change nothing', async () => {
  const weights = initWeights(config, 'policy')
  const before = hashWeights(weights)
  const trainer = await createTrainer(config, weights, { threads: 1 })
  const completion = { tokens: Int32Array.of(3), logprobs: Float32Array.of(-3), reward: 0.5 }
  const groups = [{ prompt: Int32Array.of(1), completions: [completion, completion] }]
  const nothing = { groupsUsed: 0, groupsDropped: 1, step: null }
  expect(await groupStep(trainer, groups, { learningRate: 1e-3 })).toMatchObject(nothing)
  const close = [{ prompt: Int32Array.of(1), completions: [completion, { ...completion, reward: 0.501 }] }]
  const deviating = { learningRate: 1e-3, minDeviation: 0.05 }
  expect(await groupStep(trainer, close, deviating)).toMatchObject(nothing)
  expect(hashWeights(weights)).toBe(before)
  const single = { prompt: Int32Array.of(1), completions: [completion] }
  const both = await groupStep(trainer, [...groups, single, ...close], { learningRate: 1e-3 })
  expect(both).toMatchObject({ groupsUsed: 1, groupsDropped: 2, haveGradient: [false, false, true] })
  expect(hashWeights(weights)).not.toBe(before)
  await trainer.dispose()
})

test('a group with a log-probability missing is refused', async () => {
  const trainer = await createTrainer(config, initWeights(config, 'policy'), { threads: 1 })
  const completion = { tokens: Int32Array.of(3, 4), logprobs: Float32Array.of(-3), reward: 0.5 }
  const groups = [{ prompt: Int32Array.of(1), completions: [completion, completion] }]
  await expect(groupStep(trainer, groups, { learningRate: 1e-3 })).rejects.toThrow('1 log-probabilities for 2 tokens')
  await trainer.dispose()
})
