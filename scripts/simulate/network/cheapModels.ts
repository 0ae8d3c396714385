import { drawFromNucleus } from '../../../node/model/src/model/generation/nucleus.ts'
import { tokenRaces } from '../../../node/model/src/model/generation/tokenRaces.ts'
import { placeInRace, type RacePlace } from '../../../node/model/src/model/proof/placeInRace.ts'
import { samplingTolerances } from '../../../node/model/src/model/proof/samplingTolerances.ts'
import type { PolicyClient } from '../../../node/model/src/rl/policy/policyClient.ts'
import { systemClock } from '../../../node/src/core/clock.ts'
import { contentId } from '../../../node/src/core/contentId.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import type { Answer, Environment, Judge } from '../../../node/src/environments/environment.ts'
import type { EnvironmentSpec } from '../../../node/src/environments/environmentSpec.ts'

const RULES = { topP: 1, tolerance: samplingTolerances.float32 }
const STOP = 0
const WRONG = 1
const RIGHT = 2
const HANGING = 3
/** Time that an answer takes a judge whose code hangs: as long as the sandbox lets a case run. */
const HANG_MS = 2_000
const VOCAB = 16
/** Tasks of a round. */
const TASKS = 8

const spec: EnvironmentSpec = {
  name: 'simulated',
  version: 1,
  preset: 'simulated',
  tasksPerRound: 4,
  groupSize: 2,
  owedLeaves: 8,
  sampledLeaves: 4,
  solving: { temperature: 1, maxNewTokens: 4, topP: 1 },
  training: {
    ...{ learningRate: 1e-3, adapterLearningRate: 1e-3, betas: [0.9, 0.99], weightDecay: 0, warmUpRounds: 0 },
    ...{ schedule: 'constant', totalRounds: null, maxGradientNorm: 1, clipLow: 0.2, clipHigh: 0.28 },
    ...{ scaleRewards: 'group', minGroupDeviation: 0.05, answersPerGroup: null, ownGroups: null, ownUpdates: 1 },
  },
  bases: null,
  sharing: {
    mode: 'mixed',
    groupsPerPeer: 2,
    peers: 4,
    maxKl: 0.02,
    externalGroups: null,
    learningRateScaling: 'none',
  },
  canary: { level: 1, tasks: 1, samplesPerTask: 1, everyRounds: 1000 },
}

type Task = { id: number }

const judge: Judge = {
  async score(answers: readonly Answer[]) {
    const hanging = answers.filter(({ text }) => text === String(HANGING)).length
    if (hanging > 0) await systemClock.sleep(hanging * HANG_MS)
    return answers.map(({ text }) => {
      const correct = text === String(RIGHT) ? 1 : 0
      return { components: { correct }, score: correct, correctness: correct }
    })
  },
}

/** Tasks are numbers, and an answer is one token, right or wrong. */
export const simulatedEnvironment = {
  spec,
  hash: contentId(Buffer.from('simulated environment')),
  format: {
    ...{ stopToken: STOP, moreStopTokens: [], vocabSize: VOCAB, tokenBytes: 2 },
    solverPrompt: async (problem: object) => Int32Array.of(3 + ((problem as Task).id % 8), 4),
    completionText: async (tokens: Int32Array, ended: boolean) => tokens.slice(0, ended ? -1 : undefined).join(' '),
  },
  components: ['correct'],
  solverFolder: 'base',
  judgeModel: null,
  proposals: null,
  openJudge: async () => judge,
  solvedShare: (mean: number) => mean,
  roundTasks: async (seed: Hex) => {
    const first = Number.parseInt(seed.slice(2, 8), 16)
    return Array.from({ length: TASKS }, (_, at) => ({ text: `${first + at}`, problem: { id: first + at }, level: 1 }))
  },
  drawTasks: () => [],
  heldOutTasks: async () => [],
} as unknown as Environment

type Weights = { owner: string; skill: number; wrong: number; version: number }
type Request = Parameters<PolicyClient['generate']>[0]

const bytesOf = (weights: Weights) => Uint8Array.from(Buffer.from(JSON.stringify(weights)))

/** Distributions of the first token and of the second. */
const distributionsOf = ({ skill, wrong }: Weights) => [
  Float32Array.from({ length: VOCAB }, (_, token) => (token === RIGHT ? skill : token === wrong ? 1 - skill : 0)),
  Float32Array.from({ length: VOCAB }, (_, token) => (token === STOP ? 1 : 0)),
]

function sample(weights: Weights, { prompts, samplesPerPrompt, seed }: Request) {
  const races = tokenRaces(seed)
  const distributions = distributionsOf(weights)
  return prompts.flatMap((_, prompt) =>
    Array.from({ length: samplesPerPrompt }, (_, number) => {
      const drawn = distributions.map((row, step) => drawFromNucleus(row, 1, races({ prompt, sample: number, step })))
      const tokens = Int32Array.from(drawn, ({ token }) => token)
      const logprobs = Float32Array.from(drawn, ({ logprob }) => logprob)
      return { prompt, tokens, logprobs, ended: true, sampling: { temperature: 1 } }
    }),
  )
}

/** A policy whose weights are how often it is right. Each update makes it another policy. @param hangs - whether what is wrong hangs. */
export function cheapPolicy(owner: string, skill: number, hangs = false): PolicyClient {
  let weights: Weights = { owner, skill, wrong: hangs ? HANGING : WRONG, version: 0 }
  const policy = {
    weightsHash: async () => contentId(bytesOf(weights)),
    publish: async () => bytesOf(weights),
    generate: async (request: Request) => sample(weights, request),
    generatePublished: async ({ policy }: { policy: Uint8Array }, request: Request) =>
      sample(JSON.parse(Buffer.from(policy).toString()), request),
    setbacks: () => 0,
    async policyStep(groups: readonly unknown[]) {
      weights = { ...weights, version: weights.version + 1 }
      const haveGradient = groups.map(() => true)
      const figures = { step: null, kl: 0, clipFraction: 0, undone: false, refuted: 0 }
      return { groupsUsed: groups.length, groupsDropped: 0, haveGradient, ...figures }
    },
    save: async () => ({ weightsHash: contentId(bytesOf(weights)), steps: weights.version }),
    readDraws,
    close: async () => {},
  }
  return policy as unknown as PolicyClient
}

/** Models with which evaluators score. */
export const cheapModels = { judge, reader: { readDraws } }

async function readDraws({ policy, sequences, seed }: Parameters<PolicyClient['readDraws']>[0]) {
  const distributions = distributionsOf(JSON.parse(Buffer.from(policy).toString()))
  const races = tokenRaces(seed)
  const draws = sequences.map(({ tokens, from, place }) => {
    const places = [...tokens.slice(from)].map((token, step) =>
      placeInRace(distributions[step] ?? new Float32Array(VOCAB), token, races({ ...place, step }), RULES),
    )
    const all = (figure: keyof RacePlace) => Float32Array.from(places, place => place[figure])
    const [logprob, behind, behindAtLeast] = [all('logprob'), all('behind'), all('behindAtLeast')]
    return { logprob, behind, behindAtLeast, unsure: all('unsure'), rivals: all('rivals') }
  })
  return { draws, maxPositions: 64 }
}
