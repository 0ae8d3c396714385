import { z } from 'zod'
import { mean } from '#base/mean.ts'
import type { SchemaOf } from '#base/schemaOf.ts'
import { checkOptions } from '#model/checkOptions.ts'
import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import { type GroupStepOptions, type GroupStepReport, groupStepSchema, type RolloutGroup } from '#rl/groupStep.ts'
import { learningRateSchema } from '#rl/stepOptions.ts'
import { generate, type Model, trainStep } from './model.ts'

/** A task: the prompt, and other fields for the reward function, such as the expected answer. */
export interface TrainTask {
  /** Token ids. */
  readonly prompt: Int32Array
}

export interface TrainOptions<Task extends TrainTask> {
  /** Used in order, starting over after the last. */
  readonly tasks: readonly Task[]
  /** The reward of a completion. Only differences between completions of one task matter. */
  readonly reward: (completion: Completion, task: Task) => number | Promise<number>
  /** Updates of the policy. */
  readonly steps: number
  /** Tasks per step; 1. */
  readonly tasksPerStep?: number
  /** Completions per task (the group that advantages are relative to); 8. */
  readonly groupSize?: number
  /** Options of `generate`. The seed is the seed of the run, `'0'` by default; each step derives its own. */
  readonly sampling?: Partial<Omit<GenerateOptions, 'prompts' | 'samplesPerPrompt' | 'signal' | 'onToken'>> & {
    seed?: string
  }
  /** Options of `trainStep`. */
  readonly update: GroupStepOptions
  /** Called after every step. */
  readonly onStep?: (metrics: TrainMetrics) => void | Promise<void>
  /** Checked before every token and step; its reason is thrown. */
  readonly signal?: AbortSignal
}

/** Metrics of a step, as TRL defines them. Metrics of the update are null if nothing was updated. */
export interface TrainMetrics
  extends Pick<GroupStepReport, 'groupsUsed' | 'groupsDropped' | 'kl' | 'clipFraction' | 'undone'> {
  /** From 1. */
  readonly step: number
  /** Mean over all completions. */
  readonly reward: number
  /** Mean over groups of the standard deviation of their rewards. */
  readonly rewardStd: number
  /** Share of groups whose rewards are all equal: they have no gradient. */
  readonly fracRewardZeroStd: number
  /** Mean number of tokens of a completion. */
  readonly completionLength: number
  /** Share of completions that were cut at `maxNewTokens`. */
  readonly clippedRatio: number
  /** Mean over tokens of minus their log-probability when they were sampled, in nats: an estimate of the policy's entropy. */
  readonly entropy: number
  readonly loss: number | null
  readonly gradientNorm: number | null
  readonly learningRate: number | null
}

const updateSchema = z
  .strictObject({ ...groupStepSchema.shape, learningRate: learningRateSchema })
  .refine(({ lossType, maxCompletionLength }) => lossType !== 'dr_grpo' || maxCompletionLength !== undefined, {
    path: ['maxCompletionLength'],
    error: 'expected the limit of new tokens, by which dr_grpo divides',
  })

/** The generator checks the options of sampling, before it samples. */
const schema = z.strictObject({
  tasks: z.array(z.looseObject({ prompt: z.instanceof(Int32Array) })).min(1),
  reward: z.custom(value => typeof value === 'function', 'expected a function'),
  steps: z.int().min(1),
  tasksPerStep: z.int().min(1).optional(),
  groupSize: z.int().min(2).optional(),
  sampling: z.looseObject({ seed: z.string().optional() }).optional(),
  update: updateSchema,
  onStep: z.custom(value => typeof value === 'function', 'expected a function').optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies SchemaOf<TrainOptions<TrainTask>>)

/**
 * Trains a model with GRPO on its own completions: samples, rewards and updates, for a number of steps.
 *
 * @returns the metrics of every step, in order.
 * @throws {ModelInputError} naming an invalid option, before anything else happens.
 * @throws {TrainerError} if a reward is not finite, or sampling differs from what training assumes; earlier steps stay.
 */
export async function train<Task extends TrainTask>(
  model: Model,
  options: TrainOptions<Task>,
): Promise<TrainMetrics[]> {
  checkOptions(schema, options, 'train')
  const { tasks, steps, tasksPerStep = 1, update, onStep, signal } = options
  const metrics: TrainMetrics[] = []
  for (let step = 1; step <= steps; step++) {
    signal?.throwIfAborted()
    const first = (step - 1) * tasksPerStep
    const chosen = Array.from({ length: tasksPerStep }, (_, at) => tasks[(first + at) % tasks.length] as Task)
    const groups = await sampleGroups(model, chosen, step, options)
    const taken = { step, ...figuresOf(groups), ...updateFigures(await trainStep(model, groups, update)) }
    metrics.push(taken)
    await onStep?.(taken)
  }
  return metrics
}

async function sampleGroups<Task extends TrainTask>(
  model: Model,
  tasks: readonly Task[],
  step: number,
  { reward, groupSize = 8, sampling: { seed = '0', ...sampling } = {}, signal }: TrainOptions<Task>,
): Promise<RolloutGroup[]> {
  const prompts = tasks.map(({ prompt }) => prompt)
  const sampled = { ...sampling, prompts, samplesPerPrompt: groupSize, seed: `${seed} step ${step}` }
  const completions = await generate(model, signal ? { ...sampled, signal } : sampled)
  return Promise.all(
    tasks.map(async (task, at) => ({
      prompt: task.prompt,
      completions: await Promise.all(
        completions
          .filter(({ prompt }) => prompt === at)
          .map(async one => ({ ...one, truncated: !one.ended, reward: await reward(one, task) })),
      ),
    })),
  )
}

function figuresOf(groups: readonly RolloutGroup[]) {
  const all = groups.flatMap(({ completions }) => completions)
  const deviations = groups.map(({ completions }) => deviationOf(completions.map(({ reward }) => reward)))
  return {
    reward: mean(all.map(({ reward }) => reward)),
    rewardStd: mean(deviations),
    fracRewardZeroStd: mean(groups.map(group => Number(hasEqualRewards(group)))),
    completionLength: mean(all.map(({ tokens }) => tokens.length)),
    clippedRatio: mean(all.map(({ truncated }) => Number(truncated))),
    entropy: mean(all.flatMap(({ logprobs }) => Array.from(logprobs, logprob => -logprob))),
  }
}

/** In float32, in which advantages are computed; in float64, the mean of equal rewards may differ from them. */
function hasEqualRewards({ completions }: RolloutGroup): boolean {
  return new Set(completions.map(({ reward }) => Math.fround(reward))).size === 1
}

function updateFigures({ step, groupsUsed, groupsDropped, kl, clipFraction, undone }: GroupStepReport) {
  const { loss = null, gradientNorm = null, learningRate = null } = step ?? {}
  return { loss, gradientNorm, learningRate, groupsUsed, groupsDropped, kl, clipFraction, undone }
}

/** Over n - 1, as TRL's. */
function deviationOf(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1))
}
