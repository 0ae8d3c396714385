import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { Environment } from '#environments/environment.ts'
import { type EnvironmentSpec, environmentHash, proposalsPerRound } from '#environments/environmentSpec.ts'
import { unpaidBase } from '#environments/paidBase.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { RoundRules } from '#roles/draws/checkRollouts.ts'
import { sampledLeaves } from '#roles/draws/drawCommittee.ts'
import { isDueCanary } from '#roles/gateway/measureCanary.ts'
import { learningOptions } from '#roles/models/openModels.ts'
import type { PeerNode } from '#roles/peerNode.ts'
import { answerRound } from '#roles/solver/answerRound.ts'
import type { ScoredGroup } from '#roles/solver/chooseLessons.ts'
import { createLearner, type Learner } from '#roles/solver/learner.ts'
import { type LearningModules, learnRound } from '#roles/solver/learnRound.ts'
import { takeGroups } from '#roles/solver/takeGroups.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { Probes } from './fields.ts'

export const wordOf = (byte: string) => `0x${byte.repeat(32)}` as const
const [beacon, self] = [wordOf('01'), wordOf('02')]

/** Four answers to a task, of the key that gave them. */
function groupOf(name: string, rewards: readonly number[] = [0.5, 0.1, 0.9, 0.6]): ScoredGroup {
  const rollouts = rewards.map((_, index) => ({ index, completionTokens: [index], logprobs: [-1], promptTokens: [1] }))
  const task = { level: 3, ref: { peerKey: self }, taskHash: name, text: name, problem: {} }
  return { task, rollouts, rewards, correctness: rewards } as unknown as ScoredGroup
}

/** A policy's sampling request of a round. */
async function asked(spec: EnvironmentSpec): Promise<unknown> {
  let request: object = {}
  const sampler = {
    weightsHash: async () => beacon,
    generate: async (one: object) => {
      request = one
      return []
    },
  }
  const places = [{ problem: {} }]
  const format = { solverPrompt: async () => Int32Array.of(1), stopToken: 0 }
  const rules = { spec, format, beacon, places } as unknown as RoundRules
  await answerRound(sampler, { chainId: 1, round: 3, peerKey: self }, rules).catch(() => {})
  const { samplesPerPrompt, temperature, topP, maxNewTokens } = request as Record<string, number>
  return [samplesPerPrompt, temperature, topP, maxNewTokens]
}

/** The trainer's inputs in five rounds of two updates. */
const steps =
  (trained: 'weights' | 'adapter' = 'weights', own = 1) =>
  async (spec: EnvironmentSpec) => {
    const given: unknown[] = []
    const policyStep = async (lessons: { completions: unknown[] }[], options: object) => {
      given.push(options, ...lessons.map(({ completions }) => completions.length))
      return {
        groupsUsed: 1,
        groupsDropped: 0,
        haveGradient: [true],
        step: null,
        kl: null,
        clipFraction: null,
        undone: false,
        refuted: 0,
      }
    }
    const clock = createManualClock()
    const journal = createJournal(openDatabase(':memory:'), clock)
    const node = { environment: { spec } as unknown as Environment, journal, training: { note: () => {} }, clock }
    const policy = { policyStep } as unknown as PolicyClient
    const learner = createLearner(node, policy, { score: async () => [] }, trained)
    for (let round = 0; round < 5; round++)
      for (const updates of [0, 1]) await learner.learn([groupOf('a')], own, { round, updates, again: updates > 0 })
    return given
  }

/** Groups of each update of a round, by their tasks. */
async function lessons(spec: EnvironmentSpec): Promise<unknown> {
  const updates: string[][] = []
  const learner: Learner = {
    score: async groups => groups.map(group => group as ScoredGroup),
    async learn(groups) {
      updates.push(groups.map(({ task }) => String(task.taskHash)))
      return { failure: null, updates: 1, taken: 0 }
    },
    setbacks: () => 0,
  }
  const trust = { of: () => 1, note: () => {} }
  const modules = { learner, trust, quarantine: { put: () => {} }, logger: silentLogger, vocabSize: 300 }
  const { signal } = new AbortController()
  const own = [groupOf('a'), groupOf('b', [0, 1, 0, 1])]
  async function* others() {
    yield { peerKey: wordOf('03'), groups: [groupOf('c')] }
    yield { peerKey: wordOf('04'), groups: [groupOf('d', [0, 1, 0, 1])] }
  }
  const all = { ...modules, signal } as unknown as LearningModules
  await learnRound(all, { round: 7, spec, own, others: others(), until: signal })
  return updates
}

/** How many groups are taken from each of six peers that have eight. */
async function taken(spec: EnvironmentSpec): Promise<number[]> {
  const groups = Array.from({ length: 8 }, (_, at) => groupOf(String(at)))
  const { signal } = new AbortController()
  const node = {
    chain: {
      readRolloutCommitments: async () => ['11', '12', '13', '14', '15', '16'].map(at => ({ peerKey: wordOf(at) })),
    },
    fetchPlan: { visitEach: (wanted: object[]) => wanted.map(async () => ({ result: { ok: true, value: groups } })) },
    ...{ identity: { peerKey: self }, payloads: {}, chainId: 1, signal },
  } as unknown as PeerNode
  const counts: number[] = []
  for await (const one of takeGroups(node, 3, { spec } as RoundRules, signal, () => 1)) counts.push(one.groups.length)
  return counts
}

/** Whether canaries of some rounds, levels and sizes are run. */
function canaries(spec: EnvironmentSpec): boolean[] {
  const environment = { spec } as Environment
  const due = (round: number, level: number, samples: number) =>
    isDueCanary(environment, { round, level, samples: Array(samples) } as unknown as Parameters<typeof isDueCanary>[1])
  const { tasks, samplesPerTask } = { tasks: 20, samplesPerTask: 2 }
  return [due(60, 3, 1), due(61, 3, 1), due(60, 4, 1), due(60, 3, tasks * samplesPerTask)]
}

const sampling = { 'canary.level': 3, 'canary.tasks': 20, 'canary.samplesPerTask': 2, 'canary.everyRounds': 20 }
const unscaled = { 'sharing.learningRateScaling': 'none' }
const mixed = { 'sharing.mode': 'mixed' }
const falling = { 'training.schedule': 'linear', 'training.totalRounds': 20, 'training.warmUpRounds': 0 }

/** Probes of the fields that the specifications of all environments have. */
export const commonProbes: Probes<EnvironmentSpec> = {
  // Nothing else: peers with another rule are told apart by the hash.
  version: { value: 99, seen: environmentHash },
  preset: { value: 'another', seen: environmentHash },
  tasksPerRound: { value: 5, seen: proposalsPerRound },
  groupSize: { value: 5, seen: asked },
  owedLeaves: { value: 200, seen: spec => sampledLeaves(1, 3, beacon, self, spec) },
  sampledLeaves: { value: 3, seen: spec => sampledLeaves(1, 3, beacon, self, spec) },
  'solving.temperature': { value: 0.7, seen: asked },
  'solving.maxNewTokens': { value: 7, seen: asked },
  'solving.topP': { value: 0.995, seen: asked },
  'training.learningRate': { value: 0.01, seen: steps() },
  'training.adapterLearningRate': { value: 0.01, seen: steps('adapter') },
  'training.betas': { value: [0.5, 0.6], seen: learningOptions },
  'training.weightDecay': { value: 0.5, seen: learningOptions },
  'training.warmUpRounds': { value: 9, seen: steps() },
  'training.schedule': { value: 'cosine', given: falling, seen: steps() },
  'training.totalRounds': { value: 7, given: falling, seen: steps() },
  'training.maxGradientNorm': { value: 0.3, seen: learningOptions },
  'training.clipLow': { value: 0.01, seen: steps() },
  'training.clipHigh': { value: 0.9, seen: steps() },
  'training.scaleRewards': { value: 'batch', seen: steps() },
  'training.minGroupDeviation': { value: 0.4, seen: steps() },
  'training.answersPerGroup': { value: 2, seen: steps() },
  'training.ownGroups': { value: 1, seen: lessons },
  'training.ownUpdates': { value: 3, given: { 'sharing.mode': 'updateForEachPeer' }, seen: lessons },
  bases: { value: [wordOf('77')], seen: spec => unpaidBase(wordOf('66'), spec) },
  'sharing.mode': { value: 'mixed', given: { 'sharing.mode': 'updateForEachPeer' }, seen: lessons },
  'sharing.groupsPerPeer': { value: 3, seen: taken },
  'sharing.peers': { value: 4, seen: taken },
  'sharing.maxKl': { value: 0.7, seen: steps('weights', 0) },
  'sharing.learningRateScaling': { value: 'squareRoot', given: unscaled, seen: steps('adapter', 0) },
  'sharing.updatesPerPeer': { value: 3, given: { 'sharing.mode': 'updateForEachPeer' }, seen: lessons },
  'sharing.externalGroups': { value: 1, given: mixed, seen: lessons },
  'canary.level': { value: 4, given: sampling, seen: canaries },
  'canary.tasks': { value: 10, given: sampling, seen: canaries },
  'canary.samplesPerTask': { value: 1, given: sampling, seen: canaries },
  'canary.everyRounds': { value: 61, given: sampling, seen: canaries },
}
