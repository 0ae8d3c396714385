import { z } from 'zod'
import { hash32Schema } from '#core/hex.ts'
import { commonFields, share } from '../environmentSpec.ts'
import { familyNames } from './families/families.ts'
import { answerKinds } from './readAnswer.ts'
import { replyStyles } from './readReply.ts'

const levelSchema = z.int().min(1).max(5)

const fields = z.strictObject({
  name: z.literal('reasoning'),
  ...commonFields,
  /** 1: every round asks new questions. 3: answer, critique, revise; a question's stages are `STAGE_ROUNDS` apart. */
  stages: z.literal([1, 3]).default(1),
  weights: z
    .strictObject({
      format: share,
      accuracy: share,
      /** Weight of naming, in the third stage, the answer that most critiques gave; left out of the sum if this does not apply. */
      majority: share.default(0),
    })
    .refine(
      ({ format, accuracy, majority }) => Math.abs(format + accuracy + majority - 1) < 1e-9,
      'expected weights that add up to 1',
    )
    .refine(({ accuracy }) => accuracy > 0, 'expected a weight of accuracy above 0'),
  /** Kinds of questions, drawn alike. */
  families: z
    .array(z.enum(familyNames))
    .min(1)
    .max(familyNames.length)
    .refine(names => new Set(names).size === names.length, 'expected each family once'),
  /** Levels of the questions, drawn uniformly from the lowest to the highest. */
  levels: z
    .strictObject({ lowest: levelSchema, highest: levelSchema })
    .refine(({ lowest, highest }) => lowest <= highest, 'expected the lowest level first'),
  /** `bare`: the reply is the answer. `tagged`: free text, then the answer in answer tags. */
  reply: z.enum(replyStyles),
  prompts: z.strictObject({
    format: z.literal('chat'),
    /** Hash of tokenizer, chat template and end tokens (`PretrainedTokenizer.hash`). */
    tokenizerHash: hash32Schema,
    /** Ids of tokens are below this: outputs of the smallest model that takes part, padding included. */
    vocabSize: z.int().min(2).max(1_000_000),
    /** System message. */
    solver: z.string().min(1).max(4_000),
    /** Questions with their replies, shown as turns before every question: small models take the form of a reply from them. */
    examples: z
      .array(
        z.strictObject({
          question: z.string().min(1).max(1_000),
          kind: z.enum(answerKinds),
          reply: z.string().min(1).max(1_000),
        }),
      )
      .max(8),
  }),
})

/** First version of the rules of stages in which the examples of the third have the form that it asks for. */
const STAGES_VERSION = 4

/** Everything that determines tasks, scores and learning. */
export const reasoningSpecSchema = fields
  .refine(({ stages, weights }) => stages === 3 || weights.majority === 0, {
    error: 'a weight of the majority needs stages: 3, which ask for it',
    path: ['weights', 'majority'],
  })
  .refine(({ stages, version }) => stages === 1 || version >= STAGES_VERSION, {
    error: `stages need version ${STAGES_VERSION}: prompts of the third stage were others before`,
    path: ['version'],
  })
export type ReasoningSpec = z.output<typeof reasoningSpecSchema>
