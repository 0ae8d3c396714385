import { keccak_256 } from '@noble/hashes/sha3.js'
import { z } from 'zod'
import { encodeCanonical } from '#core/canonical.ts'
import { type Hex, hash32Schema, toHex } from '#core/hex.ts'
import { precisions } from '#model/frozenTensors.ts'
import { difficultySchema } from './difficulty.ts'
import { type ScoreComponent, scoreComponents } from './scoreAnswers.ts'

const share = z.number().min(0).max(1)

const weightsSchema = z
  .strictObject(Object.fromEntries(scoreComponents.map(name => [name, share])) as Record<ScoreComponent, typeof share>)
  .refine(
    weights => Math.abs(Object.values(weights).reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9,
    'expected weights that add up to 1',
  )

const samplingSchema = z.strictObject({
  temperature: z.number().min(0).max(10),
  maxNewTokens: z.int().min(1).max(4096),
})

const trainingSchema = z.strictObject({
  learningRate: z.number().positive().max(0.1),
  betas: z.tuple([share, share]),
  weightDecay: z.number().min(0).max(1),
  /** Rounds in which the learning rate rises to its value. */
  warmUpRounds: z.int().min(0).max(1000),
  /** After that it stays, or falls to zero over the rounds of a run: `learningRateAt`. */
  schedule: z.enum(['constant', 'linear', 'cosine']).default('constant'),
  /** Rounds of the whole run, at whose end a rate that falls is zero; not used by `constant`. */
  totalRounds: z.int().min(1).max(1_000_000).nullable().default(null),
  /** The gradient's norm is cut to this. */
  maxGradientNorm: z.number().positive(),
  clipLow: share,
  clipHigh: share,
  /** Groups whose rewards deviate less (standard deviation over samples - 1) teach nothing and are dropped. */
  minGroupDeviation: z.number().min(0).max(1),
})
const scheduledSchema = trainingSchema.refine(
  ({ schedule, totalRounds }) => schedule === 'constant' || totalRounds !== null,
  'a learning rate that falls needs totalRounds',
)

const sharingSchema = z.strictObject({
  /**
   * `updateForEachPeer`: after the update on the own groups, one for the groups of each other solver, the importance
   * ratio against the log-probabilities that came with them. `mixed`: taken groups join the own ones in one update.
   */
  mode: z.enum(['updateForEachPeer', 'mixed']),
  /** Groups taken from one peer a round, at most. */
  groupsPerPeer: z.int().min(0).max(256),
  /** Peers taken from in a round, at most. */
  peers: z.int().min(0).max(64),
})

const message = z.string().min(1).max(4_000)

const promptsSchema = z.discriminatedUnion('format', [
  /** `<user>` request `<asst>`, by the tokenizer of the starter models. */
  z.strictObject({ format: z.literal('starter') }),
  /** The chat template of the model. */
  z.strictObject({
    format: z.literal('chat'),
    /** Of tokenizer, chat template and end tokens (`PretrainedTokenizer.hash`): solvers of one tokenizer can check each other. */
    tokenizerHash: hash32Schema,
    /** Ids of tokens are below this: outputs of the smallest model that takes part, padding included. */
    vocabSize: z.int().min(2).max(1_000_000),
    /** System messages. */
    solver: message,
    proposer: message,
  }),
])

const judgeSchema = z.discriminatedUnion('kind', [
  /** How likely the problem's text is, given the code; calibration comes with the model. */
  z.strictObject({
    kind: z.literal('backTranslation'),
    /** Content hash of the frozen weights (`hashWeights`); null where the operator chooses the evaluator. */
    weightsHash: hash32Schema.nullable(),
  }),
  /** Probability of 'true' against 'false' as a chat model's first token: sigmoid(bias + slope * log-odds). */
  z.strictObject({
    kind: z.literal('trueFalse'),
    weightsHash: hash32Schema,
    tokenizerHash: hash32Schema,
    /** How its matrices are kept and multiplied: it changes what the judge says. */
    precision: z.enum(precisions).default('float32'),
    /** Where it is found: OWNER/NAME@REVISION; null where each operator knows. */
    model: z.string().max(300).nullable(),
    system: message,
    question: message,
    calibration: z.strictObject({ bias: z.number().min(-1e3).max(1e3), slope: z.number().min(-1e3).max(1e3) }),
  }),
])

/** All that decides tasks, scores and learning. Its hash is on the chain for each round: the public rule. */
export const environmentSpecSchema = z.strictObject({
  name: z.literal('codezero'),
  version: z.int().min(1),
  preset: z.string().min(1).max(64),
  weights: weightsSchema,
  /** Tasks that a solver answers in a round, and answers to each. */
  tasksPerRound: z.int().min(1).max(256),
  groupSize: z.int().min(2).max(64),
  /** Leaves that a solver owes in a round; missing ones count 0. */
  owedLeaves: z.int().min(1).max(4096),
  /** Of those, how many the beacon draws to be scored. */
  sampledLeaves: z.int().min(1).max(4096),
  /** What solvers learn from is drawn, and trained on, at this temperature; at 0 nothing would be drawn. */
  solving: samplingSchema.refine(
    ({ temperature }) => temperature > 0,
    'expected a temperature above 0, since a policy that learns is sampled',
  ),
  proposing: samplingSchema,
  training: scheduledSchema,
  sharing: sharingSchema,
  difficulty: difficultySchema,
  canary: z.strictObject({
    level: z.int().min(1).max(5),
    tasks: z.int().min(1).max(1000),
    samplesPerTask: z.int().min(1).max(64),
    everyRounds: z.int().min(1).max(1000),
  }),
  prompts: promptsSchema,
  /**
   * Which proposals may be trained on. `understood`: those whose text the curriculum reads, so that none is a held-out function in
   * other words. `wellFormed`: also texts that it does not read; the held-out set then tells less.
   */
  tasks: z.enum(['understood', 'wellFormed']),
  judge: judgeSchema,
})
export type EnvironmentSpec = z.output<typeof environmentSpecSchema>

/** Proposals for each task that one solver answers: three solvers then meet few tasks twice. */
const POOL_FACTOR = 3

/** Tasks that a proposer puts up for a round. */
export function proposalsPerRound({ tasksPerRound }: Pick<EnvironmentSpec, 'tasksPerRound'>): number {
  return POOL_FACTOR * tasksPerRound
}

/** Canonical dag-cbor of a specification. */
export function environmentBytes(spec: EnvironmentSpec): Uint8Array {
  return encodeCanonical(environmentSpecSchema.parse(spec))
}

/** What `Rounds.environmentOf` holds: keccak-256 of the canonical dag-cbor of the specification. */
export function environmentHash(spec: EnvironmentSpec): Hex {
  return toHex(keccak_256(environmentBytes(spec)))
}
