import { z } from 'zod'
import { hash32, type Seed } from '../hashes.ts'
import { payloadCodec } from './payloadCodec.ts'
import { bundleHeader, indexSchema, levelSchema, milliSchema, tokensSchema } from './payloadFields.ts'

export const MAX_CANARY_SAMPLES = 4096
export const MAX_CANARY_BUNDLE_BYTES = 8 * 1024 * 1024
/** Values and keys: 13 a sample, and some. */
const MAX_ITEMS = 13 * MAX_CANARY_SAMPLES + 32

/**
 * Samples of a policy on the fixed held-out set, with the scores of the judge model and of execution. A measurement: never paid, never
 * trained on.
 */
const canaryBundleSchema = z.strictObject({
  ...bundleHeader,
  level: levelSchema,
  /** Seed of the sampler: the same before and after training, so that two canaries can be compared. */
  seed: hash32<Seed>(),
  samples: z
    .array(
      z.strictObject({
        /** Index of the task in the held-out set. */
        task: indexSchema,
        sample: indexSchema,
        completionTokens: tokensSchema,
        ended: z.boolean(),
        /** The composite score, by the rule that scores rollouts. */
        scoreMilli: milliSchema,
        /** Whether the tests passed when the code was run; null if it was not run. */
        passed: z.boolean().nullable(),
      }),
    )
    .max(MAX_CANARY_SAMPLES),
})

export type CanaryBundle = z.output<typeof canaryBundleSchema>

const codec = payloadCodec(canaryBundleSchema, MAX_CANARY_BUNDLE_BYTES, MAX_ITEMS)
export const encodeCanaryBundle = codec.encode
export const decodeCanaryBundle = codec.decode
