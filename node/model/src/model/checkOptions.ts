import { z } from 'zod'
import type { SchemaOf } from '#base/schemaOf.ts'
import { devices } from '#engine/devices/device.ts'
import type { GenerateOptions } from './generation/completion.ts'
import { ModelInputError } from './modelErrors.ts'
import { precisions } from './quantization/precision.ts'

/**
 * Refuses unknown options and wrong types, which callers in JavaScript may pass, before anything else happens.
 *
 * @param what - the called function.
 * @throws {ModelInputError} naming the option.
 */
export function checkOptions(schema: z.ZodType, options: unknown, what: string): void {
  const issue = schema.safeParse(options).error?.issues[0]
  if (issue === undefined) return
  throw new ModelInputError([what, ...issue.path, issue.message].join(': '), {
    hint: 'Correct it; its docstring lists the valid values.',
  })
}

/** Token ids. Whether they exist is checked against the vocabulary. */
export const tokenArray = z.custom<Int32Array>(x => x instanceof Int32Array, 'expected an Int32Array of token ids')

const call = z.custom<() => void>(x => typeof x === 'function', 'expected a function')
const signal = z.instanceof(AbortSignal, { error: 'expected an AbortSignal' })
const path = z.string().min(1)
const threads = z.int().min(1).max(1024)
const device = z.enum(devices)

/** A folder's path. */
export const folderSchema = path

/** Options of `Generator.generate`. `checkRequest` checks bounds that depend on the model. */
export const generateSchema = z.strictObject({
  prompts: z.array(tokenArray),
  samplesPerPrompt: z.number(),
  maxNewTokens: z.number(),
  temperature: z.number(),
  stopToken: z.int(),
  moreStopTokens: z.array(z.int()).optional(),
  seed: z.custom(x => typeof x === 'string' || x instanceof Uint8Array, 'expected a text or a Uint8Array'),
  promptNumbers: z.array(z.int().min(0).max(0xffff_ffff)).optional(),
  sampleNumbers: z.array(z.int().min(0).max(0xffff_ffff)).optional(),
  onToken: call.optional(),
  signal: signal.optional(),
  topK: z.number().optional(),
  topP: z.number().optional(),
  minP: z.number().optional(),
  repetitionPenalty: z.number().optional(),
} satisfies SchemaOf<GenerateOptions>)

export const sequencesSchema = z.array(z.looseObject({ tokens: tokenArray, from: z.number() }))
export const choicesSchema = z.array(
  z.looseObject({
    tokens: tokenArray,
    candidates: z.union([z.array(z.int()).min(1), tokenArray], 'expected token ids, one at least'),
  }),
)
export const scoreSchema = z.strictObject({ signal: signal.optional() })

/** Options of functions that run weights in memory. */
export const runSchema = z.strictObject({ threads: threads.optional(), device: device.optional() })

/** Options of `loadGenerator`, `loadScorer` and other functions that open a folder's weights. */
export const loadSchema = z.strictObject({
  precision: z.enum(precisions).optional(),
  threads: threads.optional(),
  device: device.optional(),
  cacheFolder: path.optional(),
  onProgress: call.optional(),
  signal: signal.optional(),
})

/** Options of `loadModel`. The trainer checks the options of training. */
export const modelSchema = z.strictObject({
  adapter: path.optional(),
  threads: threads.optional(),
  device: device.optional(),
  training: z.looseObject({ adapter: z.looseObject({}).optional() }).optional(),
})

/** Options of `initLora`, which checks the bounds of rank and alpha. */
export const loraSchema = z.strictObject({
  rank: z.number(),
  alpha: z.number(),
  targets: z.array(z.string()),
  rankStabilized: z.boolean(),
})
