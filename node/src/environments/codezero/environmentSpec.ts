import { z } from 'zod'
import { hash32Schema } from '#core/hex.ts'
import { specifiedPrecisions } from '#model/quantization/precision.ts'
import { difficultySchema } from '../difficulty.ts'
import { commonFields, samplingSchema, share } from '../environmentSpec.ts'
import { MIN_BALANCED_ACCURACY } from './judge/calibrateTrueFalse.ts'
import { type ScoreComponent, scoreComponents } from './scoreAnswers.ts'

const weightsSchema = z
  .strictObject(Object.fromEntries(scoreComponents.map(name => [name, share])) as Record<ScoreComponent, typeof share>)
  .refine(
    weights => Math.abs(Object.values(weights).reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9,
    'expected weights that add up to 1',
  )
  .refine(
    ({ predictedCorrectness }) => predictedCorrectness > 0,
    'expected a weight of predictedCorrectness above 0: without it nothing tells right from wrong',
  )

const message = z.string().min(1).max(4_000)

const promptsSchema = z.discriminatedUnion('format', [
  /** `<user>` request `<asst>`, by the tokenizer of the starter models. */
  z.strictObject({ format: z.literal('starter') }),
  /** The chat template of the model. */
  z.strictObject({
    format: z.literal('chat'),
    /** Hash of tokenizer, chat template and end tokens (`PretrainedTokenizer.hash`). Solvers with the same tokenizer can check each other. */
    tokenizerHash: hash32Schema,
    /** Ids of tokens are below this: outputs of the smallest model that takes part, padding included. */
    vocabSize: z.int().min(2).max(1_000_000),
    /** System messages. */
    solver: message,
    proposer: message,
  }),
])

const measuredSchema = z.strictObject({
  balancedAccuracy: z.number().min(MIN_BALANCED_ACCURACY).max(1),
  /** Expected calibration error. */
  ece: share,
  /** Labelled pairs in all, and how many of them were the solver's own answers. */
  pairs: z.int().min(1),
  samples: z.int().min(0),
})

const judgeSchema = z.discriminatedUnion('kind', [
  /** Likelihood of the problem's text, given the code; the model brings its calibration. */
  z.strictObject({
    kind: z.literal('backTranslation'),
    /** Content hash of the frozen weights (`hashWeights`); null if the operator chooses the evaluator. */
    weightsHash: hash32Schema.nullable(),
  }),
  /** Probability of 'true' against 'false' as a chat model's first token: sigmoid(bias + slope * log-odds). */
  z.strictObject({
    kind: z.literal('trueFalse'),
    weightsHash: hash32Schema,
    tokenizerHash: hash32Schema,
    /** Precision of its matrices, which affects the judge's outputs. */
    precision: z.enum(specifiedPrecisions).default('float32'),
    /** Its repository, OWNER/NAME@REVISION; null if operators obtain it elsewhere. */
    model: z.string().max(300).nullable(),
    system: message,
    question: message,
    /** A slope above 0: an answer that the judge finds likelier is likelier to be right. */
    calibration: z.strictObject({ bias: z.number().min(-1e3).max(1e3), slope: z.number().positive().max(1e3) }),
    /**
     * Accuracy as measured by `waggle environment create`, which anybody can repeat. Null if not measured; every peer then warns at its
     * start.
     */
    measured: measuredSchema.nullable(),
  }),
])

const fields = z.strictObject({
  name: z.literal('codezero'),
  ...commonFields,
  weights: weightsSchema,
  proposing: samplingSchema,
  difficulty: difficultySchema,
  prompts: promptsSchema,
  /**
   * Proposals that may be trained on. `understood`: those whose text the curriculum could have written, so that none is a held-out function in other words.
   * `wellFormed`: also texts that it cannot parse; the held-out set is then less reliable.
   */
  tasks: z.enum(['understood', 'wellFormed']),
  /** Tasks of a round without valid proposals: none, or tasks of the curriculum, drawn by the beacon. */
  whenSilent: z.enum(['nothing', 'curriculum']).default('nothing'),
  /**
   * Share of drawn or requested tasks that give a broken function to repair. At 0 such tasks are invalid: the starter models were not
   * trained on them.
   */
  repairing: share.default(0),
  judge: judgeSchema,
})

/** First version of the rules in which `understood` admits what the curriculum could have written: before, what can be parsed. */
const UNDERSTOOD_VERSION = 12

/** Everything that determines CodeZero's tasks, scores and learning. */
export const codeZeroSpecSchema = fields.refine(
  ({ tasks, version }) => tasks !== 'understood' || version >= UNDERSTOOD_VERSION,
  {
    error: `tasks that are understood were others before version ${UNDERSTOOD_VERSION}: play with the release that wrote it, or have the swarm's owner write it again with npx waggle environment create and announce its hash`,
    path: ['version'],
  },
)
export type CodeZeroSpec = z.output<typeof codeZeroSpecSchema>
