import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { keccak } from '#core/keccak.ts'
import { createLogger } from '#core/logger.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import type { SampledTokens } from '#environments/environment.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { type GroupStepOptions, groupStep, type RolloutGroup } from '#rl/groupStep.ts'
import { openAdapterPolicy } from '#rl/policy/adapterPolicy.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { TrainingStep } from '../metrics/trainingLog.ts'
import { learningOptions } from '../models/openModels.ts'
import { type Candidate, candidateOf, decodeGroups, encodeGroups, groupsOf } from './candidates.ts'
import { proposalsOf } from './proposalsOf.ts'
import { propose, type WriteProposals } from './propose.ts'
import { CANDIDATES, createProposerLearner, learnability, lessonsOf } from './proposerLearner.ts'
import type { SolvedShares } from './solvedShares.ts'
import { createTaskList, NO_SPACE } from './taskList.ts'

const scratch = await mkdtemp(join(tmpdir(), 'waggle-learns-'))
afterAll(() => rm(scratch, { recursive: true }))

const environment = (await loadEnvironments()).starter
const proposals = proposalsOf(environment)
const clock = createManualClock()
const ample = new AbortController().signal

function openLog() {
  const lines: string[] = []
  return { lines, logger: createLogger({ write: line => lines.push(line), format: 'json', level: 'info', clock }) }
}

/** A learner over what a test knows of tasks, as the next start has it for the same journal. */
function openLearner(
  path: string,
  policy: Parameters<typeof createProposerLearner>[1],
  readShares: (round: number) => Promise<SolvedShares>,
  playsIn: (round: number) => Promise<boolean> = async () => true,
) {
  const [journal, notes, { lines, logger }] = [
    createJournal(openDatabase(path), clock),
    [] as TrainingStep[],
    openLog(),
  ]
  const training = { note: (step: TrainingStep) => void notes.push(step) }
  const modules = { environment, playsIn, journal, training, clock, logger, signal: ample, readShares }
  return { journal, notes, lines, learner: createProposerLearner(modules, policy, join(scratch, 'adapter')) }
}

const sampled = (first: number, ...prompt: number[]): SampledTokens => ({
  prompt: Int32Array.from(prompt),
  tokens: Int32Array.of(first, 0),
  logprobs: Float32Array.of(-1, -2),
  temperature: 0.8,
})
const candidate = (first: number, place: number | null, ...prompt: number[]): Candidate => ({
  sampled: sampled(first, ...prompt),
  place,
})

test('a task is worth 4m(1 - m), what was refused nothing, and what nobody was scored on is left out', () => {
  expect([0, 0.5, 1].map(learnability)).toEqual([0, 1, 0])
  const groups = groupsOf([
    candidate(1, 0, 7, 8),
    candidate(2, null, 7, 8),
    candidate(3, 1, 7, 8),
    // Of a prompt with one result, or none: nothing to compare it with.
    candidate(4, 2, 9),
    candidate(5, 3, 9, 9),
    candidate(6, null, 9, 9),
  ])
  const shares = new Map([
    [0, 0.25],
    [2, 0.5],
  ])
  const [lesson, ...others] = lessonsOf(groups, shares)
  expect(others).toEqual([])
  expect(lesson?.prompt).toEqual(Int32Array.of(7, 8))
  expect(lesson?.completions.map(({ tokens, reward }) => [tokens[0], reward])).toEqual([
    [1, 0.75],
    [2, 0],
  ])
  expect(lesson?.completions[0]).toMatchObject({ sampling: { temperature: 0.8 }, logprobs: Float32Array.of(-1, -2) })
  expect(lessonsOf(groups, new Map())).toEqual([])
})

test('candidates of a round are kept bit for bit, 32 of a prompt at most, and nothing else is read as one', () => {
  expect(candidateOf(undefined, null, 0)).toEqual([])
  expect(candidateOf(sampled(1, 2), NO_SPACE, 0)).toEqual([])
  expect(candidateOf(sampled(1, 2), 'repeated', 5)).toEqual([candidate(1, null, 2)])
  expect(candidateOf(sampled(1, 2), null, 5)).toEqual([candidate(1, 5, 2)])
  const groups = groupsOf([...Array.from({ length: 40 }, (_, at) => candidate(at, at, 1)), candidate(3, null, 1, 2)])
  expect(groups.map(({ candidates }) => candidates.length)).toEqual([32, 1])
  expect(decodeGroups(JSON.parse(JSON.stringify(encodeGroups(groups))))).toEqual(groups)
  const kept = encodeGroups(groups.slice(1)) as { candidates: object[] }[]
  const with_ = (changes: object) => [{ ...kept[0], candidates: [{ ...kept[0]?.candidates[0], ...changes }] }]
  for (const damaged of [undefined, null, 7, [{}], with_({ logprobs: 'AAAA' }), with_({ place: -1 })])
    expect(decodeGroups(damaged as never)).toEqual([])
})

test('results are learned from once, the oldest first: late score sheets are waited for, and a stop or a failure teaches nothing twice', async () => {
  const path = join(scratch, 'journal.db')
  const known: Record<number, SolvedShares> = {
    3: { shares: new Map([[0, 0.5]]), missing: 1 },
    4: { shares: new Map(), missing: 0 },
    5: { shares: new Map([[0, 0.1]]), missing: 0 },
    6: { shares: new Map([[0, 0.5]]), missing: 0 },
  }
  const steps: (readonly RolloutGroup[])[] = []
  const options: GroupStepOptions[] = []
  const saved: string[] = []
  let fails = false
  const policy = {
    async policyStep(groups: readonly RolloutGroup[], asked: GroupStepOptions) {
      steps.push(groups)
      options.push(asked)
      if (fails) throw new Error('the worker died')
      const step = { loss: 0.5, gradientNorm: 2, tokens: 40, learningRate: asked.learningRate as number }
      return {
        groupsUsed: 1,
        groupsDropped: 0,
        haveGradient: [true],
        step,
        kl: 0.001,
        clipFraction: 0,
        undone: false,
        refuted: 0,
      }
    },
    save: async (folder: string) => {
      saved.push(folder)
      return { weightsHash: '0x' as const, steps: 1 }
    },
  }
  const open = () => openLearner(path, policy, async round => known[round] as SolvedShares)
  const first = open()
  for (const round of [2, 3, 4, 5, 6]) {
    first.journal.set(round, CANDIDATES, encodeGroups(groupsOf([candidate(round, 0, 1), candidate(9, null, 1)])))
    if (round > 2) first.journal.set(round, 'proposed', true)
    first.journal.set(round, 'report', { level: 1 })
  }
  // Not final; then final, with a score sheet that may come; then a round without results, which is done with.
  await first.learner.learn(6, ample)
  await first.learner.learn(7, ample)
  await first.learner.learn(8, ample)
  expect(steps).toEqual([])
  expect(first.journal.get(4, CANDIDATES)).toBeNull()
  await first.learner.learn(9, ample)
  expect(steps.map(([group]) => group?.completions.map(({ reward }) => reward))).toEqual([[learnability(0.1), 0]])
  expect(options[0]).toMatchObject({ recomputeLogprobs: true, maxKl: 0.02, learningRate: 1.5e-3 / 5 })
  expect(first.journal.get(5, 'report')).toMatchObject({ level: 1, solved: 0.1, validShare: 0.5, learned: true })
  expect(first.notes).toMatchObject([
    { ownGroups: 1, groupsUsed: 1, loss: 0.5, kl: 0.001, passAt1: 0.1, validShare: 0.5, failure: null, peer: null },
  ])
  expect(saved).toHaveLength(1)
  // After a restart: it no longer waits for what is missing of round 3, and the warm-up continues.
  const second = open()
  await second.learner.learn(10, ample)
  expect(steps.at(-1)?.[0]?.completions[0]?.reward).toBe(1)
  expect(options.at(-1)?.learningRate).toBeCloseTo((2 * 1.5e-3) / 5, 10)
  fails = true
  await second.learner.learn(10, ample)
  expect(steps).toHaveLength(3)
  expect(second.lines.some(line => line.includes('an update failed'))).toBe(true)
  expect(second.notes.at(-1)).toMatchObject({ groupsUsed: 0, loss: null, failure: 'the update failed' })
  await open().learner.learn(11, ample)
  expect(steps).toHaveLength(3)
  expect(saved).toHaveLength(2)
})

const lora = { rank: 8, alpha: 16, targets: [...allLinear], rankStabilized: false }
const settings = {
  threads: 1,
  device: 'cpu',
  ...learningOptions(environment.spec, { temperature: 0.8, topP: 1 }),
} as const
const openPolicy = (folder: string) =>
  openAdapterPolicy(folder, environment.solverFolder, { lora, base: 'float32' }, settings)

test('tasks of a round by other rules are not learned from', async () => {
  const asked: number[] = []
  const policy = {
    policyStep: () => Promise.reject(new Error('learned')),
    save: () => Promise.reject(new Error('saved')),
  }
  const readShares = async (round: number) => {
    asked.push(round)
    return { shares: new Map([[0, 0.5]]), missing: 0 }
  }
  const { journal, learner } = openLearner(':memory:', policy, readShares, async round => round > 5)
  for (const round of [5, 6]) {
    journal.set(round, 'proposed', true)
    journal.set(round, CANDIDATES, encodeGroups(groupsOf([candidate(1, 0, 7), candidate(2, null, 7)])))
  }
  await learner.learn(12, ample)
  expect(asked).toEqual([6])
})

test('a proposer whose tasks about texts alone are learnable comes to propose them, across a restart', {
  timeout: 240_000, // ten rounds of sampling and learning: some seconds on an idle machine
}, async () => {
  const [LEVEL, TASKS, ROUNDS] = [2, 16, 10]
  const path = join(scratch, 'learning.db')
  const isWanted = (text: string) => /^Write \w+\(s\)/.test(text)
  let texts: readonly string[] = []
  let policy = await openPolicy(environment.solverFolder)
  const openHalf = () =>
    openLearner(
      path,
      {
        policyStep: (groups, options) => groupStep(policy.trainer, groups, options),
        async save(folder) {
          await policy.save(folder)
          return { weightsHash: await policy.weightsHash(), steps: policy.trainer.steps }
        },
      },
      async () => ({ shares: new Map(texts.map((text, place) => [place, isWanted(text) ? 0.5 : 1])), missing: 0 }),
    )
  let half = openHalf()
  const wanted: number[] = []
  const notes: TrainingStep[] = []
  for (let round = 0; round < ROUNDS; round++) {
    if (round === ROUNDS / 2) {
      notes.push(...half.notes)
      await policy.dispose()
      policy = await openPolicy(join(scratch, 'adapter'))
      half = openHalf()
      expect(policy.trainer.steps).toBe(round)
    }
    const list = createTaskList(environment, LEVEL, TASKS)
    const write: WriteProposals = (...request) => proposals.write(...request, policy)
    const seedOf = (attempt: number): Hex => keccak(Uint8Array.of(round, attempt))
    const candidates = await propose(write, environment, LEVEL, list, seedOf, ample)
    texts = [...list.texts]
    wanted.push(texts.filter(isWanted).length / texts.length)
    half.journal.set(round, CANDIDATES, encodeGroups(groupsOf(candidates)))
    half.journal.set(round, 'proposed', true)
    await half.learner.learn(round + 4, ample)
  }
  await policy.dispose()
  notes.push(...half.notes)
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  for (const { loss, kl, reward } of notes)
    for (const figure of [loss, kl, reward]) expect(figure).toSatisfy(Number.isFinite)
  expect(notes).toHaveLength(ROUNDS)
  expect(mean(wanted.slice(-4))).toBeGreaterThan(mean(wanted.slice(0, 4)) + 0.3)
})
