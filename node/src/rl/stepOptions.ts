import { z } from 'zod'
import { TrainerError } from './trainerError.ts'

/** At least zero, or infinite: a limit that never holds. */
const limit = z.custom<number>(x => typeof x === 'number' && x >= 0, 'expected a number of at least 0')

const share = z.number().min(0).lt(1)

/** Options of a policy step, see `PolicyStepOptions`. */
export const policyStepSchema = z.looseObject({
  clipLow: limit,
  clipHigh: limit,
  klBeta: z.number().min(0),
  useBiasCorrectionKl: z.boolean().optional(),
  importanceSamplingLevel: z.enum(['token', 'sequence']).optional(),
  lossType: z.enum(['grpo', 'dapo', 'bnpo', 'dr_grpo']).optional(),
  maxCompletionLength: z.int().min(1).optional(),
  importanceSamplingMode: z.enum(['token_truncate', 'sequence_truncate']).optional(),
  importanceSamplingCap: limit.optional(),
  maskTruncatedCompletions: z.boolean().optional(),
})

/** What `groupStep` takes beside them. */
export const groupStepSchema = z.looseObject({
  scaleRewards: z.enum(['group', 'batch', 'none']).optional(),
  minDeviation: z.number().min(0).optional(),
})

/** Options of a trainer, see `TrainerOptions`. */
export const trainerSchema = z.looseObject({
  optimizer: z
    .looseObject({
      kind: z.enum(['adamW', 'muon']),
      beta1: share.optional(),
      beta2: share.optional(),
      // At 0 an element that never had a gradient would be moved by 0 / 0.
      epsilon: z.number().positive().optional(),
      weightDecay: z.number().min(0).optional(),
      momentum: share.optional(),
    })
    .optional(),
  clipNorm: limit.optional(),
  temperature: z.number().positive().optional(),
  maxTokens: z.int().min(1).optional(),
  parameters: z.enum(['all', 'layers']).optional(),
  precision: z.enum(['float32', 'int8']).optional(),
  memoryBytes: limit.optional(),
})

/**
 * Refuses what would make a step fail late, or make the weights no numbers.
 *
 * @throws {TrainerError} naming the option.
 */
export function checkOptions(schema: z.ZodType, options: unknown): void {
  const issue = schema.safeParse(options).error?.issues[0]
  if (issue) throw new TrainerError(`${issue.path.join('.') || 'options'}: ${issue.message}`, { hint })
}

const hint = 'Correct the option; its docstring says what it may be.'

const learningRateSchema = z.union([
  z.number().min(0),
  z
    .looseObject({
      kind: z.enum(['constant', 'linear', 'cosine']),
      peak: z.number().min(0),
      warmupSteps: z.number().min(0).optional(),
      totalSteps: z.number().min(0).optional(),
    })
    .refine(({ kind, totalSteps }) => kind === 'constant' || totalSteps !== undefined),
])

/** @throws {TrainerError} if it is neither a rate nor a schedule. */
export function checkLearningRate(rate: unknown): void {
  if (learningRateSchema.safeParse(rate).success) return
  throw new TrainerError(`${JSON.stringify(rate) ?? rate} is no learning rate`, {
    hint: 'Give a number of at least 0, or a schedule: its kind, its peak and, unless it is constant, totalSteps.',
  })
}
