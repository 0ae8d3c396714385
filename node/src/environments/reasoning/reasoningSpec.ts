import { z } from 'zod'
import { hash32Schema } from '#core/hex.ts'
import { commonFields, share } from '../environmentSpec.ts'
import { familyNames } from './families/families.ts'
import { answerKinds } from './readAnswer.ts'
import { replyStyles } from './readReply.ts'

/** The named components of a score, in the order in which they are committed to. */
export const scoreComponents = ['format', 'accuracy'] as const
export type ScoreComponent = (typeof scoreComponents)[number]

const levelSchema = z.int().min(1).max(5)

/** All that decides tasks, scores and learning. */
export const reasoningSpecSchema = z.strictObject({
  name: z.literal('reasoning'),
  ...commonFields,
  weights: z
    .strictObject({ format: share, accuracy: share })
    .refine(({ format, accuracy }) => Math.abs(format + accuracy - 1) < 1e-9, 'expected weights that add up to 1')
    .refine(({ accuracy }) => accuracy > 0, 'expected a weight of accuracy above 0'),
  /** Kinds of questions, drawn alike. */
  families: z
    .array(z.enum(familyNames))
    .min(1)
    .max(familyNames.length)
    .refine(names => new Set(names).size === names.length, 'expected each family once'),
  /** Of the questions, drawn alike from the lowest to the highest. */
  levels: z
    .strictObject({ lowest: levelSchema, highest: levelSchema })
    .refine(({ lowest, highest }) => lowest <= highest, 'expected the lowest level first'),
  /** `bare`: the reply is the answer. `tagged`: free text, then the answer in answer tags. */
  reply: z.enum(replyStyles),
  prompts: z.strictObject({
    format: z.literal('chat'),
    /** Of tokenizer, chat template and end tokens (`PretrainedTokenizer.hash`). */
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
export type ReasoningSpec = z.output<typeof reasoningSpecSchema>
