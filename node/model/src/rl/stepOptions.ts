import { z } from 'zod'
import type { SchemaOf } from '#base/schemaOf.ts'
import { devices } from '#engine/devices/device.ts'
import { stepPrecisions } from '#model/lora/loraConfig.ts'
import type { MuonOptions } from './optimizers/muon.ts'
import type { PolicyBatchOptions } from './passes/policyBatch.ts'
import { TrainerError } from './trainerError.ts'
import type { TrainerOptions } from './trainerOptions.ts'

/** At least zero, or infinite for no limit. */
export const limit = z.custom<number>(x => typeof x === 'number' && x >= 0, 'expected a number of at least 0')

const share = z.number().min(0).lt(1)

/** Options of a policy step, see `PolicyStepOptions`; the learning rate is checked by itself. */
export const policyStepSchema = z.strictObject({
  clipNorm: limit.optional(),
  clipLow: limit,
  clipHigh: limit,
  delta: z.number().positive().optional(),
  klBeta: z.number().min(0),
  useBiasCorrectionKl: z.boolean().optional(),
  importanceSamplingLevel: z.enum(['token', 'sequence']).optional(),
  lossType: z.enum(['grpo', 'dapo', 'bnpo', 'dr_grpo']).optional(),
  maxCompletionLength: z.int().min(1).optional(),
  importanceSamplingMode: z.enum(['token_truncate', 'sequence_truncate']).optional(),
  importanceSamplingCap: limit.optional(),
  importanceSamplingFloor: z.number().min(0).optional(),
  importanceSamplingFloorNats: limit.optional(),
  maskTruncatedAlternatives: z.boolean().optional(),
  maskTruncatedCompletions: z.boolean().optional(),
} satisfies SchemaOf<PolicyBatchOptions & { clipNorm?: number }>)

/** Options of a trainer, see `TrainerOptions`. */
export const trainerSchema = z.strictObject({
  threads: z.int().min(1).max(1024).optional(),
  device: z.enum(devices).optional(),
  adapter: z.looseObject({ config: z.looseObject({}), factors: z.instanceof(Map) }).optional(),
  layered: z.boolean().optional(),
  optimizer: z
    .strictObject({
      kind: z.enum(['adamW', 'muon']),
      beta1: share.optional(),
      beta2: share.optional(),
      // At 0 an element that never had a gradient would be moved by 0 / 0.
      epsilon: z.number().positive().optional(),
      weightDecay: z.number().min(0).optional(),
      momentum: share.optional(),
      threads: z.int().min(1).max(1024).optional(),
    } satisfies SchemaOf<MuonOptions & { kind: 'adamW' | 'muon' }>)
    .optional(),
  clipNorm: limit.optional(),
  temperature: z.number().positive().optional(),
  topP: z.number().min(0.99).max(1).optional(),
  maxTokens: z.int().min(1).optional(),
  parameters: z.enum(['all', 'layers']).optional(),
  precision: z.enum(stepPrecisions).optional(),
  memoryBytes: limit.optional(),
} satisfies SchemaOf<TrainerOptions>)

/**
 * Refuses options that would make a step fail late, or make weights NaN or infinite.
 *
 * @throws {TrainerError} naming the option.
 */
export function checkOptions(schema: z.ZodType, options: unknown, what = 'options'): void {
  const issue = schema.safeParse(options).error?.issues[0]
  if (issue) throw new TrainerError(`${issue.path.join('.') || what}: ${issue.message}`, { hint })
}

const hint = 'Correct the option; its docstring lists the valid values.'

const tokens = z.instanceof(Int32Array)
const logprobs = z.instanceof(Float32Array)

/** Rollout groups of `groupStep`; checks only the types of their fields. */
export const groupsSchema = z.array(
  z.looseObject({
    prompt: tokens,
    completions: z.array(
      z.looseObject({
        tokens,
        logprobs,
        samplingLogprobs: logprobs.optional(),
        reward: z.number(),
        truncated: z.boolean().optional(),
        sampling: z.looseObject({ temperature: z.number() }).optional(),
      }),
    ),
  }),
)

/** Sequences of a trainer's steps; checks only the types of their fields. */
export const sequencesSchema = z.array(z.looseObject({ tokens, scored: tokens }))
export const weightedSequencesSchema = z.array(z.looseObject({ tokens, scored: tokens, weights: logprobs })).min(1)

/** Argument of `Trainer.load`; the optimizer checks the names of the tensors. */
export const stateSchema = z.looseObject({ steps: z.int().min(0), tensors: z.instanceof(Map) })

/** Rewards that `groupAdvantages` takes. */
export const rewardsSchema = z.array(logprobs)

const RATES = 'a number of at least 0, or a schedule: its kind, its peak and, unless it is constant, totalSteps'

/** A rate, or a schedule of rates. */
export const learningRateSchema = z.union(
  [
    z.number().min(0),
    z
      .strictObject({
        kind: z.enum(['constant', 'linear', 'cosine']),
        peak: z.number().min(0),
        warmupSteps: z.number().min(0).optional(),
        totalSteps: z.number().min(0).optional(),
      })
      .refine(({ kind, totalSteps }) => kind === 'constant' || totalSteps !== undefined),
  ],
  `expected ${RATES}`,
)

/** @throws {TrainerError} if it is neither a rate nor a schedule. */
export function checkLearningRate(rate: unknown): void {
  if (learningRateSchema.safeParse(rate).success) return
  const said = typeof rate === 'object' ? JSON.stringify(rate) : String(rate)
  throw new TrainerError(`${said} is not a learning rate`, {
    hint: `Give ${RATES}.`,
  })
}
