import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { environmentFrom, presets } from '#environments/codezero/presets.ts'
import type { Environment } from '#environments/environment.ts'
import type { GroupStepOptions, RolloutGroup } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { TrainingStep } from '../metrics/trainingLog.ts'
import { createRateScaling, learningRateOf } from '../models/learningRules.ts'
import type { ScoredGroup } from './chooseLessons.ts'
import { createLearner } from './learner.ts'

const noStep = {
  groupsUsed: 1,
  groupsDropped: 0,
  haveGradient: [true],
  step: null,
  kl: null,
  clipFraction: null,
  undone: false,
  refuted: 0,
}
const clock = createManualClock()
const rollouts = [0, 1, 2, 3].map(index => ({ index, completionTokens: [index], logprobs: [-1], promptTokens: [1] }))
const correctness = [0.5, 0, 1, 0.5]
const group = {
  task: { level: 3, ref: { peerKey: '0xaa' } },
  rollouts,
  rewards: [0.5, 0.1, 0.9, 0.6],
  correctness,
  family: 'logic',
  dataset: 'mbpp',
} as unknown as ScoredGroup

const noted: TrainingStep[] = []
const noting = { note: (step: TrainingStep) => void noted.push(step) }

/** The rewards that the updates of some rounds were given, and how many rounds the warm-up counts. */
async function learned(answersPerGroup: number | null, rounds: readonly number[]) {
  const spec = environmentFrom('starter', { training: { ...presets.starter.training, answersPerGroup } })
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const rewards: number[][] = []
  const policyStep = async (groups: readonly RolloutGroup[]) => {
    rewards.push(...groups.map(({ completions }) => completions.map(({ reward }) => reward)))
    return noStep
  }
  const environment = { spec } as unknown as Environment
  const policy = { policyStep } as unknown as PolicyClient
  const judge = { score: async () => [] }
  const learner = createLearner({ environment, journal, training: noting, clock }, policy, judge)
  for (const round of rounds)
    expect(await learner.learn([group], 1, { round })).toEqual({ failure: null, updates: 1, taken: 0 })
  return { rewards, counted: journal.getState('rounds learned') }
}

test('a group teaches as many of its answers as the specification says', async () => {
  expect((await learned(null, [1])).rewards).toEqual([[0.5, 0.1, 0.9, 0.6]])
  expect((await learned(2, [1])).rewards).toEqual([[0.1, 0.9]])
})

test('a round that is learned again after a stop counts once', async () => {
  expect((await learned(null, [3, 4])).counted).toEqual({ rounds: 2, last: 4 })
  expect((await learned(null, [3, 4, 4])).counted).toEqual({ rounds: 2, last: 4 })
})

test('each update is noted with what its groups say', async () => {
  noted.length = 0
  await learned(null, [1, 2])
  expect(noted).toHaveLength(2)
  expect(noted[0]).toMatchObject({
    ...{ groups: 1, ownGroups: 1, groupsUsed: 1, reward: 0.525, passAt1: 0.5, entropy: 1, completionTokens: 1 },
    peer: null,
    levels: [
      { level: 3, tasks: 1, samples: 4, averageAtK: { value: 0.5 }, passAt1: { value: 0.25 }, passAtK: { value: 1 } },
    ],
    proposers: [{ proposer: '0xaa', tasks: 1, samples: 4, averageAtK: { value: 0.5 }, passAt1: { value: 0.25 } }],
    datasets: [
      { dataset: 'mbpp', tasks: 1, averageAtK: { value: 0.5 }, passAt1: { value: 0.25 }, passAtK: { value: 1 } },
    ],
    peers: [{ peer: 'own', tasks: 1, samples: 4, averageAtK: { value: 0.5 }, passAt1: { value: 0.25 } }],
    families: [{ family: 'logic', tasks: 1, samples: 4, averageAtK: { value: 0.5 }, passAt1: { value: 0.25 } }],
    ...{ loss: null, kl: null, clipFraction: null, failure: null },
  })
})

test('figures of an update on own groups and on those of others are not mixed', async () => {
  noted.length = 0
  const environment = { spec: presets.starter } as unknown as Environment
  const journal = createJournal(openDatabase(':memory:'), clock)
  const policy = { policyStep: async () => noStep } as unknown as PolicyClient
  const learner = createLearner({ environment, journal, training: noting, clock }, policy, { score: async () => [] })
  const right = [1, 1, 1, 1]
  const figures = { rewards: right, correctness: right }
  const theirs = { ...group, ...figures, peerKey: '0xbb', family: 'dates', dataset: 'gsm8k' } as const
  await learner.learn([group, theirs, theirs], 1, { round: 1 })
  await learner.learn([theirs], 0, { round: 1 })
  expect(noted[0]).toMatchObject({
    ...{ groups: 3, ownGroups: 1, reward: 0.525, passAt1: 0.5, entropy: 1 },
    ...{ levels: [{ tasks: 1 }], families: [{ family: 'logic' }], datasets: [{ dataset: 'mbpp' }] },
    others: {
      ...{ reward: 1, passAt1: 1, entropy: null, levels: [{ tasks: 2 }], proposers: [{ tasks: 2 }] },
      ...{ families: [{ family: 'dates' }], datasets: [{ dataset: 'gsm8k' }] },
    },
    peers: [
      { peer: 'own', tasks: 1 },
      { peer: '0xbb', tasks: 2 },
    ],
  })
  expect(noted[1]).toMatchObject({ ownGroups: 0, reward: 1, passAt1: 1, entropy: null, others: null })
})

test('groups of others with a gradient are counted, and none where the policy did not change', async () => {
  const haveGradient = [true, false, true]
  const journal = createJournal(openDatabase(':memory:'), clock)
  const environment = { spec: presets.starter } as unknown as Environment
  const learn = (report: object) => {
    const policy = { policyStep: async () => ({ ...noStep, haveGradient, ...report }) } as unknown as PolicyClient
    const learner = createLearner({ environment, journal, training: noting, clock }, policy, { score: async () => [] })
    return learner.learn([group, group, group], 1, { round: 1 })
  }
  expect(await learn({ groupsUsed: 2 })).toEqual({ failure: null, updates: 1, taken: 1 })
  expect(await learn({ groupsUsed: 0 })).toEqual({ failure: null, updates: 0, taken: 0 })
  expect(await learn({ groupsUsed: 2, undone: true })).toMatchObject({ updates: 0, taken: 0 })
})

test('scored groups are reported by the family that the environment gives their task, and by none where it gives none', async () => {
  const journal = createJournal(openDatabase(':memory:'), clock)
  const judge = {
    score: async (answers: readonly unknown[]) => answers.map(() => ({ components: {}, score: 1, correctness: 1 })),
  }
  const scored = (familyOf?: () => string) => {
    const environment = { spec: presets.starter, ...(familyOf && { familyOf }) } as unknown as Environment
    const node = { environment, journal, training: noting, clock }
    return createLearner(node, {} as PolicyClient, judge).score([group])
  }
  expect(await scored(() => 'logic')).toMatchObject([{ family: 'logic', correctness: [1, 1, 1, 1] }])
  expect(await scored()).toMatchObject([{ family: undefined }])
})

test('rewards are scaled, clipped and stepped by as the specification says, an adapter at its own rate', async () => {
  const asked: GroupStepOptions[] = []
  const policyStep = async (_: unknown, options: GroupStepOptions) => {
    asked.push(options)
    return noStep
  }
  const { training } = presets.starter
  const changes = {
    scaleRewards: 'batch',
    minGroupDeviation: 0.3,
    clipLow: 0.1,
    clipHigh: 0.4,
    warmUpRounds: 0,
  } as const
  for (const [changed, trained] of [
    [training, 'weights'],
    [{ ...training, ...changes, learningRate: 0.01, adapterLearningRate: 0.02 }, 'weights'],
    [{ ...training, ...changes, learningRate: 0.01, adapterLearningRate: 0.02 }, 'adapter'],
  ] as const) {
    const journal = createJournal(openDatabase(':memory:'), createManualClock())
    const environment = { spec: environmentFrom('starter', { training: changed }) } as unknown as Environment
    const node = { environment, journal, training: noting, clock }
    const policy = { policyStep } as unknown as PolicyClient
    await createLearner(node, policy, { score: async () => [] }, trained).learn([group], 1, { round: 1 })
  }
  const loss = { scaleRewards: 'batch', minDeviation: 0.3, clipLow: 0.1, clipHigh: 0.4 }
  expect(asked).toMatchObject([
    { scaleRewards: 'group', minDeviation: 0.05, clipLow: 0.2, clipHigh: 0.28 },
    { ...loss, learningRate: 0.01 },
    { ...loss, learningRate: 0.02 },
  ])
})

test('groups of others, which the step is told from own ones, may move the policy as far as the specification says; a round counts once', async () => {
  const asked: unknown[] = []
  const policyStep = async (_: unknown, { maxKl, ownGroups }: GroupStepOptions) => {
    asked.push([maxKl, ownGroups])
    return noStep
  }
  const spec = environmentFrom('starter', { sharing: { ...presets.starter.sharing, maxKl: 0.3 } })
  const journal = createJournal(openDatabase(':memory:'), clock)
  const environment = { spec } as unknown as Environment
  const policy = { policyStep } as unknown as PolicyClient
  const learner = createLearner({ environment, journal, training: noting, clock }, policy, { score: async () => [] })
  await learner.learn([group], 0, { round: 1 })
  await learner.learn([group, group], 1, { round: 2 })
  await learner.learn([group], 1, { round: 3 })
  expect(asked).toEqual([
    [0.3, 0],
    [0.3, 1],
    [undefined, 1],
  ])
  expect(journal.getState('rounds learned')).toMatchObject({ rounds: 2 })
  await learner.learn([group], 1, { round: 4, again: true })
  expect(journal.getState('rounds learned')).toMatchObject({ rounds: 2 })
})

test('the gradient of an update on others is clipped to that of the last one on own groups, and in proportion if fewer groups have one', async () => {
  const asked: (number | undefined)[] = []
  const norms = [0.3, 5]
  const policyStep = async (groups: readonly unknown[], { clipNorm }: GroupStepOptions) => {
    asked.push(clipNorm)
    const gradientNorm = groups.length === 4 ? (norms.shift() as number) : 9
    return { ...noStep, groupsUsed: groups.length, step: { loss: 0, gradientNorm, tokens: 1, learningRate: 1 } }
  }
  const journal = createJournal(openDatabase(':memory:'), clock)
  const environment = { spec: presets.starter } as unknown as Environment
  const policy = { policyStep } as unknown as PolicyClient
  const learner = createLearner({ environment, journal, training: noting, clock }, policy, { score: async () => [] })
  const learn = (own: number, ...theirs: ScoredGroup[]) =>
    learner.learn([...Array(own).fill(group), ...theirs], own, { round: 1 })
  const same = { ...group, rewards: [0.5, 0.5, 0.5, 0.5] }
  await learn(0, group)
  await learn(4)
  await learn(0, group, group, group, group, group)
  await learn(0, group, same, same)
  await learn(1, group)
  await learn(0, group)
  await learn(4)
  await learn(0, group, group, group, group)
  const quarter = expect.closeTo(0.075, 9)
  const { maxGradientNorm } = presets.starter.training
  const first = maxGradientNorm / presets.starter.sharing.groupsPerPeer
  expect(asked).toEqual([first, undefined, 0.3, quarter, undefined, quarter, undefined, 1])
  // After a restart, before own groups have a gradient again.
  const again = createLearner({ environment, journal, training: noting, clock }, policy, { score: async () => [] })
  await again.learn([group, group], 0, { round: 2 })
  expect(asked.at(-1)).toBe(0.5)
})

test('the limit counts the answers that are learned from: two of eight may differ where all of them hardly do', async () => {
  const asked: (number | undefined)[] = []
  const policyStep = async (groups: readonly unknown[], { clipNorm }: GroupStepOptions) => {
    asked.push(clipNorm)
    return { ...noStep, groupsUsed: groups.length, step: { loss: 0, gradientNorm: 0.02, tokens: 1, learningRate: 1 } }
  }
  const training = { ...presets.starter.training, minGroupDeviation: 0.05, answersPerGroup: 2 }
  const environment = { spec: { ...presets.starter, training } } as unknown as Environment
  const journal = createJournal(openDatabase(':memory:'), clock)
  const policy = { policyStep } as unknown as PolicyClient
  const learner = createLearner({ environment, journal, training: noting, clock }, policy, { score: async () => [] })
  const form = { ...group, rewards: [0.1, 0, 0, 0] }
  const useless = { ...group, rewards: [0, 0, 0, 0] }
  await learner.learn([group, group], 2, { round: 1 })
  await learner.learn([form, form], 0, { round: 1 })
  await learner.learn([useless], 0, { round: 1 })
  expect(asked.slice(1)).toEqual([0.02, 0.01])
})

test('right answers of others count in full up to the given nats a token, those of the own policy by their importance', async () => {
  const asked: unknown[] = []
  const policyStep = async (_: unknown, options: GroupStepOptions) => {
    asked.push([options.importanceSamplingFloor, options.importanceSamplingFloorNats])
    return noStep
  }
  const journal = createJournal(openDatabase(':memory:'), clock)
  const environment = { spec: presets.starter } as unknown as Environment
  const policy = { policyStep } as unknown as PolicyClient
  const judge = { score: async () => [] }
  const modules = { environment, journal, training: noting, clock }
  const server = createLearner(modules, policy, judge, 'adapter', () => undefined, false)
  const learner = createLearner(modules, policy, judge)
  await learner.learn([group], 0, { round: 1, mostNats: 0.4 })
  await learner.learn([group, group], 1, { round: 1, mostNats: 0.4 })
  await learner.learn([group], 0, { round: 1 })
  await learner.learn([group], 1, { round: 1, mostNats: 0.4 })
  await server.learn([group], 1, { round: 1, mostNats: 0.4 })
  const none = [undefined, undefined]
  expect(asked).toEqual([[1, 0.4], [1, 0.4], none, none, none])
})

test('an update of a round of several has a rate that is divided by the square root of their number, if the specification says so', async () => {
  const { learningRate } = presets.starter.training
  const rates: Record<string, number[]> = { none: [], squareRoot: [] }
  for (const learningRateScaling of ['none', 'squareRoot'] as const) {
    const training = { ...presets.starter.training, warmUpRounds: 0 }
    const spec = environmentFrom('starter', { training, sharing: { ...presets.starter.sharing, learningRateScaling } })
    const journal = createJournal(openDatabase(':memory:'), clock)
    const policyStep = async (_: unknown, options: GroupStepOptions) => {
      rates[learningRateScaling]?.push((options.learningRate as number) / learningRate)
      return noStep
    }
    const node = { environment: { spec } as unknown as Environment, journal, training: noting, clock }
    const restarted = () => createLearner(node, { policyStep } as unknown as PolicyClient, { score: async () => [] })
    const updatesOf = { 1: [1], 2: [1, 0, 0], 3: [1, 0], 4: [0], 5: [1], 6: [1] }
    for (const [round, updates] of Object.entries(updatesOf))
      for (const [at, own] of updates.entries())
        await restarted().learn([group], own, { round: Number(round), updates: at })
  }
  expect(rates.none).toEqual(Array(9).fill(1))
  const root = (updates: number) => expect.closeTo(1 / Math.sqrt(updates), 12)
  // Alone; with two others, which were not foreseen; with one; with one and nothing of its own; then alone twice.
  expect(rates.squareRoot).toEqual([1, 1, 2, 3, 3, 3, 2, 1, 1].map(root))
})

test('a round without updates leaves the rate to the one before it, and one that is learned again counts its updates once', () => {
  const journal = createJournal(openDatabase(':memory:'), clock)
  const scaling = createRateScaling(journal, 'squareRoot')
  for (let updates = 1; updates <= 4; updates++) scaling.note(1, updates)
  expect(scaling.factor(2, 0)).toBe(0.5)
  scaling.note(2, 0)
  expect(scaling.factor(3, 0)).toBe(0.5)
  for (let again = 0; again < 2; again++) for (let updates = 1; updates <= 9; updates++) scaling.note(3, updates)
  expect(scaling.factor(3, 0)).toBe(0.5)
  expect(scaling.factor(4, 0)).toBeCloseTo(1 / 3, 12)
})

test('a rate that falls is above zero in the last of the rounds, and zero after it', () => {
  const training = { ...presets.starter.training, schedule: 'linear', totalRounds: 10, warmUpRounds: 5 } as const
  const rates = [5, 6, 10, 11].map(rounds => learningRateOf(training, 'weights', rounds) / training.learningRate)
  expect(rates).toEqual([1, 5 / 6, 1 / 6, 0].map(rate => expect.closeTo(rate, 12)))
})

test('an update that throws is noted as one that failed', async () => {
  noted.length = 0
  const environment = { spec: presets.starter } as unknown as Environment
  const journal = createJournal(openDatabase(':memory:'), clock)
  const policyStep = () => Promise.reject(new Error('the worker died'))
  const node = { environment, journal, training: noting, clock }
  const learner = createLearner(node, { policyStep } as unknown as PolicyClient, { score: async () => [] })
  await expect(learner.learn([group], 1, { round: 1 })).rejects.toThrow('the worker died')
  expect(noted).toMatchObject([{ groups: 1, groupsUsed: 0, loss: null, reward: 0.525, failure: 'the update failed' }])
})
