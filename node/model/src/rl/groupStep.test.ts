import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights } from '#model/decoder/weights.ts'
import { createGenerator } from '#model/generation/generate.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { groupAdvantages } from './groupAdvantages.ts'
import { type GroupStepOptions, groupStep, type RolloutGroup } from './groupStep.ts'
import { policyDrift } from './policyDrift.ts'
import { createTrainer, type Trainer } from './trainer.ts'
import type { TrainerOptions } from './trainerOptions.ts'

const prompt = Int32Array.of(1, 2, 3)
const sampled = { samplesPerPrompt: 4, stopToken: -1, seed: 'groups' }

/** Answers of the tiny policy, whose log-probabilities are what `claim` makes of them. */
async function groupOf({ temperature = 1, maxNewTokens = 6, claim = (logprob: number) => logprob } = {}) {
  const generator = createGenerator(tinyConfig, tinyWeights())
  const completions = await generator.generate({ prompts: [prompt], temperature, maxNewTokens, ...sampled })
  await generator.dispose()
  const rewarded = completions.map((c, i) => ({ ...c, logprobs: c.logprobs.map(claim), reward: i % 2 }))
  return { prompt, completions: rewarded }
}

/** Its answers, for a trainer to score. */
const scoredOf = ({ completions }: Pick<RolloutGroup, 'completions'>) =>
  completions.map(({ tokens }) => ({
    tokens: Int32Array.of(...prompt, ...tokens),
    scored: Int32Array.from(tokens, (_, t) => prompt.length + t),
  }))

async function update(
  group: Awaited<ReturnType<typeof groupOf>>,
  options: Partial<GroupStepOptions>,
  trainerOptions: TrainerOptions = {},
) {
  const weights = tinyWeights()
  const trainer = await createTrainer(tinyConfig, weights, { threads: 1, clipNorm: 1e9, ...trainerOptions })
  const report = await groupStep(trainer, [group], { learningRate: 1e-3, ...options }).finally(() => trainer.dispose())
  return { ...report, norm: report.step?.gradientNorm ?? Number.NaN, hash: hashWeights(weights) }
}

test('forged log-probabilities change an update by the truncated weight of their tokens alone', async () => {
  const bounded = { recomputeLogprobs: true }
  const honest = await update(await groupOf(), bounded)
  const plain = await update(await groupOf(), {})
  expect(honest.norm / plain.norm).toBeCloseTo(1, 4)
  const lower = await update(await groupOf({ claim: logprob => logprob - 0.9 }), bounded)
  expect(lower.norm / honest.norm).toBeCloseTo(2, 4) // importanceSamplingCap
  for (const claim of [-12, -10_000]) {
    const forged = await update(await groupOf({ claim: () => claim }), bounded)
    expect(forged).toMatchObject({ groupsUsed: 0, step: null, refuted: 1, hash: hashWeights(tinyWeights()) })
  }
  // Claimed to be nearly certain, a token counts by what it is for this policy: less, never more, without a floor.
  expect((await update(await groupOf({ claim: () => 0 }), bounded)).norm).toBeLessThan(honest.norm)
})

test.each([0, -1e-6])(
  'claims of %d for every token leave an update that equals, bit for bit, one in which answers below the mean weigh nothing',
  async claim => {
    const learningRate = 1e-4
    const weighing = { maskTruncatedAlternatives: true, importanceSamplingFloor: 1 }
    const ofOthers = { learningRate, recomputeLogprobs: true, ...weighing, maxKl: 0.02 }
    const group = await groupOf({ claim: () => claim })
    const certain = await update(group, ofOthers)
    expect(certain).toMatchObject({ refuted: 0, undone: false })
    expect(certain.kl).toBeLessThan(0.02)
    expect(certain.norm).toBeGreaterThan(0)
    expect(certain.norm).toBeLessThan((await update(await groupOf(), ofOthers)).norm)
    const rewards = Float32Array.from(group.completions, ({ reward }) => reward)
    const { advantages } = groupAdvantages([rewards], { scaleRewards: 'group', minDeviation: 0.05 })
    const weights = tinyWeights()
    const trainer = await createTrainer(tinyConfig, weights, { threads: 1, clipNorm: 1e9 })
    const batch = group.completions.map(({ tokens, logprobs }, i) => ({
      tokens: Int32Array.of(...prompt, ...tokens),
      scored: Int32Array.from(tokens, (_, t) => prompt.length + t),
      samplingLogprobs: logprobs,
      advantage: Math.max(0, advantages[0]?.[i] as number),
    }))
    await trainer.policyStep(batch, {
      learningRate,
      clipLow: 0.2,
      clipHigh: 0.28,
      klBeta: 0,
      importanceSamplingFloor: 1,
    })
    await trainer.dispose()
    expect(certain.hash).toBe(hashWeights(weights))
  },
)

test('an update that moves the policy past the bound is taken back, bit for bit', async () => {
  const group = await groupOf()
  const weights = tinyWeights()
  const trainer = await createTrainer(tinyConfig, weights, { threads: 1 })
  const step = (learningRate: number) => groupStep(trainer, [group], { learningRate, maxKl: 0.02 })
  const small = await step(1e-4)
  expect(small).toMatchObject({ undone: false })
  expect(small.kl).toBeGreaterThan(0)
  const [before, state] = [hashWeights(weights), await trainer.state()]
  const large = await step(0.1)
  expect(large).toMatchObject({ undone: true })
  expect(large.kl).toBeGreaterThan(0.02)
  expect(hashWeights(weights)).toBe(before)
  expect(await trainer.state()).toEqual(state)
  // So is one whose size cannot be measured.
  const logprobs = { value: () => Promise.reject(new Error('no memory')) }
  const unmeasured = Object.create(trainer, { logprobs }) as Trainer
  await expect(groupStep(unmeasured, [group], { learningRate: 1e-4, maxKl: 0.02 })).rejects.toThrow('no memory')
  expect(hashWeights(weights)).toBe(before)
  await trainer.dispose()
})

test('the answers of others that teach nothing take as much from the own gradient however long they are', async () => {
  const own = await groupOf()
  /** Claimed as far more likely than certain: of an importance of 0. */
  const idle = (length: number, samples = 4): RolloutGroup => ({
    prompt,
    completions: Array.from({ length: samples }, (_, i) => ({
      tokens: new Int32Array(length).fill(5),
      logprobs: new Float32Array(length).fill(1000),
      reward: i % 2,
    })),
  })
  const normOf = async (groups: RolloutGroup[], options: Partial<GroupStepOptions> = {}) => {
    const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, clipNorm: 1e9 })
    const all = { learningRate: 1e-3, recomputeLogprobs: true, ownGroups: 1, ...options }
    const { step } = await groupStep(trainer, groups, all).finally(() => trainer.dispose())
    return step?.gradientNorm as number
  }
  const alone = await normOf([own])
  // As of an own group, which has 4 answers of 6 tokens.
  for (const length of [6, 7, 60]) expect((await normOf([own, idle(length)])) / alone).toBeCloseTo(1 / 2, 4)
  expect((await normOf([own, idle(60), idle(60)])) / alone).toBeCloseTo(1 / 3, 4)
  expect((await normOf([own, idle(3)])) / alone).toBeCloseTo(2 / 3, 4)
  expect((await normOf([own, idle(60, 2)], { ownGroups: 2 })) / alone).toBeCloseTo(24 / 144, 4)
  // Nor do own answers that teach nothing let them take more: those are in no mean.
  const hopeless = { prompt, completions: idle(50).completions.map(one => ({ ...one, reward: 0 })) }
  expect((await normOf([own, hopeless, idle(60)], { ownGroups: 2 })) / alone).toBeCloseTo(1 / 2, 4)
  // Without own tokens there is nothing to protect.
  expect(await normOf([idle(0), own])).toBe(alone)
  expect(await normOf([hopeless, own])).toBe(alone)
  expect(await normOf([own], { ownGroups: 0 })).toBe(alone)
})

test('a loss without a mean over tokens tells a drift that does not depend on how many groups are own ones', async () => {
  const long = await groupOf()
  const own = {
    prompt,
    completions: long.completions.map(({ tokens, logprobs, reward }) => ({
      tokens: tokens.slice(0, 3),
      logprobs: logprobs.slice(0, 3),
      reward,
    })),
  }
  const klOf = async (lossType: 'grpo' | 'dapo', ownGroups: number) => {
    const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1 })
    const options = { learningRate: 1e-2, recomputeLogprobs: true, maxKl: 10, lossType, ownGroups }
    return (await groupStep(trainer, [own, long], options).finally(() => trainer.dispose())).kl as number
  }
  expect(await klOf('grpo', 1)).toBe(await klOf('grpo', 2))
  expect(await klOf('dapo', 1)).not.toBe(await klOf('dapo', 2))
})

test('a drift has the shares of the loss: a long group of others counts in it as much as an own one', async () => {
  const groups = [await groupOf(), await groupOf({ maxNewTokens: 48 })]
  const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1 })
  const logprobs = () => trainer.logprobs(groups.flatMap(scoredOf))
  const before = await logprobs()
  const options = { learningRate: 1e-3, recomputeLogprobs: true, ownGroups: 1, maxKl: 1 }
  const { kl } = await groupStep(trainer, groups, options)
  const after = await logprobs()
  await trainer.dispose()
  const driftOf = (from: number) => policyDrift(before.slice(from, from + 4), after.slice(from, from + 4))
  expect((kl as number) / ((driftOf(0) + driftOf(4)) / 2)).toBeCloseTo(1, 3)
})

test('groups of others that are no longer than own ones count in full, bit for bit', async () => {
  const groups = [await groupOf(), await groupOf({ claim: logprob => logprob - 0.3 })]
  const hashOf = async (ownGroups: number) => {
    const weights = tinyWeights()
    const trainer = await createTrainer(tinyConfig, weights, { threads: 1 })
    const options = { learningRate: 1e-3, recomputeLogprobs: true, ownGroups }
    await groupStep(trainer, groups, options).finally(() => trainer.dispose())
    return hashWeights(weights)
  }
  expect(await hashOf(1)).toBe(await hashOf(2))
})

test('a step may have a lower limit of its gradient than the trainer: its mean then has that norm', async () => {
  const group = await groupOf()
  const meanOf = async (options: Partial<GroupStepOptions>) => {
    const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, clipNorm: 1e9 })
    const { step } = await groupStep(trainer, [group], { learningRate: 1e-4, ...options })
    const { tensors } = await trainer.state()
    await trainer.dispose()
    const means = [...tensors].filter(([name]) => name.startsWith('mean.')).flatMap(([, data]) => [...data])
    return { norm: step?.gradientNorm as number, mean: Math.hypot(...means) }
  }
  const free = await meanOf({})
  expect(free.mean / free.norm).toBeCloseTo(0.1) // 1 - beta1
  const clipped = await meanOf({ clipNorm: free.norm / 5 })
  expect(clipped.norm).toBe(free.norm)
  expect(clipped.mean / free.mean).toBeCloseTo(0.2)
})

test('tokens of groups that teach nothing count as unmoved: a step for one group of eight moves its tokens further', async () => {
  const group = await groupOf()
  const dull = { ...group, completions: group.completions.map(completion => ({ ...completion, reward: 0.5 })) }
  const klOf = async (groups: RolloutGroup[]) => {
    const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1 })
    const { groupsUsed, kl } = await groupStep(trainer, groups, { learningRate: 1e-4, maxKl: 1 })
    await trainer.dispose()
    expect(groupsUsed).toBe(1)
    return kl as number
  }
  expect((await klOf([group])) / (await klOf([group, dull, dull, dull]))).toBeCloseTo(4)
  // But not by as much as their peer likes: each counts as long as the trained ones at most.
  const long = { ...dull, completions: dull.completions.map(longer) }
  expect((await klOf([group])) / (await klOf([group, long, long, long]))).toBeCloseTo(4)
})

const longer = ({ tokens, logprobs, ...others }: RolloutGroup['completions'][number]) => ({
  ...others,
  tokens: Int32Array.of(...tokens, ...tokens),
  logprobs: Float32Array.of(...logprobs, ...logprobs),
})

test('masked completions do not hide how far an update went: each counts as one of mean length at most', async () => {
  const { completions } = await groupOf()
  const ofLength = (reward: number, length: number) => ({
    reward,
    tokens: new Int32Array(length).fill(5),
    logprobs: new Float32Array(length).fill(-3),
    truncated: true,
  })
  const report = async (group: RolloutGroup, options: Partial<GroupStepOptions> = {}) => {
    const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1 })
    const masking = { learningRate: 1e-4, maxKl: 1, maskTruncatedCompletions: true }
    return groupStep(trainer, [group], { ...masking, ...options }).finally(() => trainer.dispose())
  }
  const masked = (length: number) => ({
    prompt,
    completions: [...completions.slice(0, 2), ofLength(0, length), ofLength(1, length)],
  })
  const [short, mean, long] = await Promise.all([1, 6, 50].map(length => report(masked(length))))
  expect(mean?.kl).toBeGreaterThan(0)
  expect(long).toEqual(mean)
  expect((short?.kl as number) / (mean?.kl as number)).toBeCloseTo(24 / 14)
  expect((await report(masked(50), { recomputeLogprobs: true })).kl).toBeCloseTo(mean?.kl as number, 8)
  // One of masked completions alone has no gradient.
  const all = { prompt, completions: completions.map(one => ({ ...one, truncated: true })) }
  const nothing = { groupsUsed: 0, groupsDropped: 1, haveGradient: [false], step: null, kl: null }
  expect(await report(all)).toMatchObject(nothing)
  expect(await report(all, { maskTruncatedCompletions: false })).toMatchObject({ groupsUsed: 1 })
})

/** Two answers of six tokens next to two of padding: the drift that is told, and the true one as spread over a number of tokens. */
async function paddedUpdate(length: number, claimedLogprob: number) {
  const { completions } = await groupOf()
  const logprobs = new Float32Array(length).fill(claimedLogprob)
  const padding = { tokens: new Int32Array(length).fill(5), logprobs, reward: 0 }
  const group = { prompt, completions: [...completions.slice(0, 2), padding, padding] }
  const sequences = scoredOf(group)
  const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1 })
  const before = await trainer.logprobs(sequences)
  const ofOthers = { recomputeLogprobs: true, maskTruncatedAlternatives: true, maxKl: 1 }
  const { kl, refuted } = await groupStep(trainer, [group], { learningRate: 1e-4, ...ofOthers })
  const after = await trainer.logprobs(sequences)
  await trainer.dispose()
  expect(refuted).toBe(0)
  return { kl: kl as number, driftOver: (tokens: number) => policyDrift(before, after, tokens) }
}

test.each([1, 6, 50])(
  '%d tokens that are claimed as certain, and so teach nothing, count up to the mean of the others',
  async length => {
    const { kl, driftOver } = await paddedUpdate(length, 0)
    expect(kl / driftOver(12 + 2 * Math.min(length, 6))).toBeCloseTo(1, 4)
  },
)

test('tokens whose claims leave them a small weight hide no drift either', async () => {
  const { kl, driftOver } = await paddedUpdate(50, Math.log(0.5))
  // Spread over 112 tokens it would be less than a quarter.
  expect(kl).toBeGreaterThan(0.5 * driftOver(24))
})

test('a reward that is not finite, or too large for float32, is refused', async () => {
  const { completions } = await groupOf()
  for (const reward of [1e39, -1e39, Number.POSITIVE_INFINITY, Number.NaN]) {
    const group = { prompt, completions: completions.map((one, i) => (i === 0 ? { ...one, reward } : one)) }
    await expect(update(group, {})).rejects.toMatchObject({ code: 'TRAINER' })
  }
})

const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'], rankStabilized: false }

const passes: [string, () => TrainerOptions][] = [
  ['in one graph', () => ({ layered: false })],
  ['layer by layer', () => ({ layered: true })],
  ['with an adapter', () => ({ layered: false, adapter: initLora(tinyConfig, lora, 'scored') })],
  ['with an adapter, layer by layer', () => ({ layered: true, adapter: initLora(tinyConfig, lora, 'scored') })],
]

test.each(passes)(
  'an update computes old log-probabilities as scoring would before it, bit for bit, %s',
  async (_, options) => {
    const { completions } = await groupOf({ claim: logprob => logprob - 0.3 })
    const rated = { learningRate: 1e-2, clipLow: 0.2, clipHigh: 0.28, klBeta: 0, maskTruncatedCompletions: true }
    const claimed = completions.map(({ tokens, logprobs, reward }, i) => ({
      tokens: Int32Array.of(...prompt, ...tokens),
      scored: Int32Array.from(tokens, (_, t) => prompt.length + t),
      samplingLogprobs: logprobs,
      advantage: reward - 0.5,
      truncated: i === 1,
    }))
    const outcome = async (isComputed: boolean) => {
      const weights = tinyWeights()
      const trainer = await createTrainer(tinyConfig, weights, { threads: 1, ...options() })
      const before = await trainer.logprobs(claimed)
      const batch = isComputed ? claimed : claimed.map((one, i) => ({ ...one, oldLogprobs: before[i] as Float32Array }))
      const { oldLogprobs, ...step } = await trainer.policyStep(batch, rated)
      expect(oldLogprobs).toEqual(isComputed ? before.map((own, i) => (i === 1 ? null : own)) : before)
      const after = await trainer.logprobs(claimed)
      await trainer.dispose()
      return { step, after }
    }
    const computed = await outcome(true)
    expect(computed.step.gradientNorm).toBeGreaterThan(0)
    expect(computed).toEqual(await outcome(false))
  },
)

test('a completion of one token, which a pass has twice, is learned from once', async () => {
  const own = (isClaimed: boolean) => async () => {
    const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1 })
    const one = { tokens: Int32Array.of(1, 2, 3, 4), scored: Int32Array.of(3), advantage: 1 }
    const batch = [{ ...one, samplingLogprobs: Float32Array.of(-3) }]
    const [oldLogprobs = new Float32Array()] = await trainer.logprobs(batch)
    const given = isClaimed ? batch.map(sequence => ({ ...sequence, oldLogprobs })) : batch
    const report = await trainer.policyStep(given, { learningRate: 1e-2, clipLow: 0.2, clipHigh: 0.28, klBeta: 0 })
    await trainer.dispose()
    return report.gradientNorm
  }
  expect((await own(false)()) / (await own(true)())).toBeCloseTo(1, 5)
})

test.each(passes)('a trainer scores at its temperature what was sampled at it, %s', async (_, options) => {
  const { completions } = await groupOf({ temperature: 0.7 })
  const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, temperature: 0.7, ...options() })
  const batch = scoredOf({ completions })
  const scores = await trainer.logprobs(batch)
  for (const [i, { logprobs }] of completions.entries())
    for (const [t, logprob] of logprobs.entries()) expect(scores[i]?.[t]).toBeCloseTo(logprob, 4)
  const group = { prompt, completions: completions.map((c, i) => ({ ...c, reward: i % 2 })) }
  await groupStep(trainer, [group], { learningRate: 1e-2 })
  expect(await trainer.logprobs(batch)).not.toEqual(scores)
  await trainer.dispose()
})

test('completions that were sampled otherwise than is trained are refused by what differs', async () => {
  const group = await groupOf()
  const [first] = group.completions
  const sampledWith = (sampling: object) => ({
    prompt,
    completions: group.completions.map(c => ({
      ...c,
      sampling: { ...(first?.sampling ?? { temperature: 1 }), ...sampling },
    })),
  })
  const refused: [object, RegExp][] = [
    [{ temperature: 0.7 }, /temperature 0\.7, and the trainer's is 1/],
    [{ temperature: 0 }, /temperature 0/],
    [{ topP: 0.999 }, /topP 0\.999, and the trainer's is 1/],
    [{ topK: 20 }, /topK 20/],
    [{ minP: 0.1 }, /minP 0\.1/],
    [{ repetitionPenalty: 1.1 }, /repetitionPenalty 1\.1/],
  ]
  for (const [sampling, says] of refused) await expect(update(sampledWith(sampling), {})).rejects.toThrow(says)
  expect((await update(sampledWith({ topP: 1, minP: 0, repetitionPenalty: 1 }), {})).groupsUsed).toBe(1)
  expect((await update(sampledWith({ temperature: 0.7 }), {}, { temperature: 0.7 })).groupsUsed).toBe(1)
  expect((await update(sampledWith({ topP: 0.999 }), {}, { topP: 0.999 })).groupsUsed).toBe(1)
  await expect(update(sampledWith({}), {}, { topP: 0.999 })).rejects.toThrow(/topP 1, and the trainer's is 0\.999/)
})
