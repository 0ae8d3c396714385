import { z } from 'zod'
import { mean } from '#base/mean.ts'
import type { SchemaOf } from '#base/schemaOf.ts'
import type { SampledWith } from '#model/generation/samplingFilters.ts'
import { checkSampling, refutesClaims } from './checkSampling.ts'
import { advantagesSchema, groupAdvantages, type ScaleRewards } from './groupAdvantages.ts'
import type { LearningRate } from './optimizers/learningRate.ts'
import { type PolicyBatchOptions, type PolicySequence, tokenAdvantages } from './passes/policyBatch.ts'
import { clipFraction, policyDrift } from './policyDrift.ts'
import { checkOptions, groupsSchema, limit, policyStepSchema } from './stepOptions.ts'
import type { Trainer } from './trainer.ts'
import { TrainerError } from './trainerError.ts'
import type { StepReport } from './trainerOptions.ts'

/** Completions of one prompt, with the rewards that the trainer's owner gave them. */
export interface RolloutGroup {
  readonly prompt: Int32Array
  readonly completions: readonly {
    readonly tokens: Int32Array
    /** [tokens.length] under the policy that generated them; or, if `samplingLogprobs` is given, under the one that is trained, before the update. */
    readonly logprobs: Float32Array
    /** [tokens.length] under another policy, if that generated them: their tokens get truncated importance weights. */
    readonly samplingLogprobs?: Float32Array
    readonly reward: number
    /** Whether it was cut at the limit of its length; see `maskTruncatedCompletions`. */
    readonly truncated?: boolean
    /** How it was sampled, as reported by generators: refused if the trainer is set differently. By default the trainer's settings. */
    readonly sampling?: SampledWith
  }[]
}

/** Options of the loss, with defaults: `clipLow` 0.2, `clipHigh` 0.28, `klBeta` 0. */
export interface GroupStepOptions extends Partial<PolicyBatchOptions> {
  readonly learningRate: LearningRate
  /**
   * The first groups are own ones, as many as this. In a mean over tokens (`dapo`, `bnpo`) each of the others counts as many tokens as an own group
   * with a gradient has on average at most, so that long answers that teach nothing do not shrink the gradient of the own ones. By default all are
   * own ones.
   */
  readonly ownGroups?: number
  /** Limit of the gradients' joint norm in this step; the trainer's by default. */
  readonly clipNorm?: number
  /** Divisor of advantages; `group`, which the starter models were measured with. */
  readonly scaleRewards?: ScaleRewards
  /** Groups whose rewards deviate less than this are dropped. By default only groups whose rewards are all equal; 0 keeps these too. */
  readonly minDeviation?: number
  /**
   * The given log-probabilities are not trusted; false. The ratio is to those of the trained policy before the update, which the step computes;
   * the given ones only weigh their tokens, as `samplingLogprobs`. Nothing is learned if the computed ones refute the given ones, see
   * `refutesClaims`.
   */
  readonly recomputeLogprobs?: boolean
  /** An update that moves the policy further than this is undone: `policyDrift`, in nats per token of all groups. By default no bound and no measurement. */
  readonly maxKl?: number
}

/** A rate or a schedule is checked by itself. */
export const groupStepSchema = z.strictObject({
  ...policyStepSchema.partial().shape,
  ...advantagesSchema.shape,
  learningRate: z.unknown(),
  ownGroups: z.int().min(0).optional(),
  recomputeLogprobs: z.boolean().optional(),
  maxKl: limit.optional(),
} satisfies SchemaOf<GroupStepOptions>)

export interface GroupStepReport {
  /** Groups with a gradient; at 0 nothing was changed and `step` is null. */
  readonly groupsUsed: number
  /** Groups without one: their rewards deviate less than `minDeviation`, they have fewer than two completions, or all are empty or masked. */
  readonly groupsDropped: number
  /** Whether each of the groups has a gradient, in their order, also if nothing was changed. */
  readonly haveGradient: readonly boolean[]
  readonly step: StepReport | null
  /** How far the update moved the policy; null without `maxKl`. */
  readonly kl: number | null
  /** Share of tokens that the update moved out of the clip range; null without `maxKl`. */
  readonly clipFraction: number | null
  /** Whether the update was undone: the policy and the optimizer are as before. */
  readonly undone: boolean
  /** Groups whose log-probabilities cannot be their sampler's; with any, there is no update. */
  readonly refuted: number
}

type Truncatable = Pick<PolicySequence, 'truncated'>

/** A sequence with the log-probabilities of its group. */
type ClaimedSequence = PolicySequence & { readonly oldLogprobs: Float32Array }

const noUpdate = { groupsUsed: 0, step: null, kl: null, clipFraction: null, undone: false, refuted: 0 } as const

/** Below the deviation of any two float32 rewards that differ. Not subnormal: once ONNX Runtime has run, its threads and this one treat such numbers as 0. */
const ANY_DEVIATION = 1e-60

/**
 * One policy update on rollout groups. Groups may differ in size.
 *
 * @throws {TrainerError} if the numbers of a completion's tokens and log-probabilities differ, a reward or log-probability is not finite, the
 *   sampling differs from the trainer's settings, or an option is unknown.
 */
export async function groupStep(
  trainer: Trainer,
  groups: readonly RolloutGroup[],
  options: GroupStepOptions,
): Promise<GroupStepReport> {
  checkOptions(groupStepSchema, options)
  // An undefined option does not replace a default.
  const said = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as typeof options
  const {
    scaleRewards = 'group',
    minDeviation = ANY_DEVIATION,
    recomputeLogprobs = false,
    ownGroups = groups.length,
    maxKl,
    ...batchOptions
  } = said
  checkOptions(groupsSchema, groups, 'rollout groups')
  for (const group of groups) checkGroup(group, trainer)
  const isMasked = (one: Truncatable) => batchOptions.maskTruncatedCompletions === true && one.truncated === true
  const several = groups.filter(group => group.completions.length > 1)
  const rewards = several.map(group => Float32Array.from(group.completions, completion => completion.reward))
  const { advantages, kept } = groupAdvantages(rewards, { scaleRewards, minDeviation })
  const learnable = several.map((group, g) => {
    const all = kept[g] ? policySequences(group, advantages[g] as Float32Array) : []
    return all.every(isMasked) ? [] : all
  })
  const isOwn = several.map(group => groups.indexOf(group) < ownGroups)
  const { lossType = 'dapo' } = batchOptions
  const isTokenMean = lossType === 'dapo' || lossType === 'bnpo'
  const limited = isTokenMean ? limitOthers(learnable, isOwn, isMasked) : learnable
  const sequences = limited.filter(group => group.length > 0)
  const groupsUsed = sequences.length
  const haveGradient = groups.map(group => (learnable[several.indexOf(group)] ?? []).length > 0)
  const nothing = { ...noUpdate, groupsDropped: groups.length - groupsUsed, haveGradient }
  if (groupsUsed === 0) return nothing
  const batch = (recomputeLogprobs ? sequences.map(unclaimed) : sequences).flat()
  const lossOptions = { clipLow: 0.2, clipHigh: 0.28, klBeta: 0, ...batchOptions }

  async function update(): Promise<GroupStepReport> {
    const { oldLogprobs, ...step } = await trainer.policyStep(batch, lossOptions)
    const refuted = recomputeLogprobs ? countRefuted(sequences, oldLogprobs) : 0
    if (refuted > 0) return { ...nothing, refuted }
    const done = { ...nothing, groupsUsed, step }
    if (maxKl === undefined) return done
    const shareOf = (one: PolicySequence) => one.tokenShare ?? 1
    const learned = batch.flatMap((one, i) => (isMasked(one) ? [] : [{ one, own: oldLogprobs[i] as Float32Array }]))
    const before = learned.map(({ own }) => own)
    const after = await trainer.logprobs(learned.map(({ one }) => one))
    const lengths = batch.map((one, i) => {
      const own = oldLogprobs[i]
      const taught = own && !isMasked(one) ? sum(sharesTaught(one, tokenAdvantages(one, own, lossOptions))) : 0
      return { tokens: shareOf(one) * one.scored.length, taught: shareOf(one) * taught }
    })
    const shares = learned.map(({ one }) => shareOf(one))
    const kl = policyDrift(before, after, countedTokens(groups, haveGradient, lengths), shares)
    const undone = !(kl <= maxKl) // NaN too
    return { ...done, kl, clipFraction: clipFraction(before, after, lossOptions), undone }
  }
  return recomputeLogprobs || maxKl !== undefined ? undoable(trainer, update) : update()
}

/**
 * Lets no group of others count more tokens than own groups have on average. Own groups without a gradient, which are empty here, are not in the
 * mean over tokens. Without own tokens in it, others have no limit.
 */
function limitOthers(
  groups: readonly ClaimedSequence[][],
  isOwn: readonly boolean[],
  isMasked: (one: Truncatable) => boolean,
): ClaimedSequence[][] {
  const tokensOf = (group: ClaimedSequence[]) => sum(group.map(one => (isMasked(one) ? 0 : one.scored.length)))
  const own = groups.filter((group, g) => isOwn[g] && group.length > 0)
  const most = mean(own.map(tokensOf)) || Number.POSITIVE_INFINITY
  return groups.map((group, g) => {
    if (isOwn[g]) return group
    const tokenShare = Math.min(1, most / tokensOf(group))
    return group.map(one => ({ ...one, tokenShare }))
  })
}

/** Undoes an update that failed or whose report says `undone`. */
async function undoable(trainer: Trainer, update: () => Promise<GroupStepReport>): Promise<GroupStepReport> {
  const snapshot = await trainer.snapshot()
  const report = await update().catch(async (error: unknown) => {
    await snapshot.undo()
    throw error
  })
  await (report.undone || report.refuted > 0 ? snapshot.undo() : snapshot.forget())
  return report
}

/** Importance weights of tokens, 1 at most: one that hardly weighs teaches hardly anything. */
function sharesTaught({ advantage }: PolicySequence, weighted: Float32Array): number[] {
  return advantage === 0 ? [] : Array.from(weighted, value => Math.min(1, Math.abs(value / advantage)))
}

/**
 * Tokens that a drift is spread over. A completion's tokens that teach nothing, as masked ones do, count up to the mean of those that a completion
 * teaches, and a group without a gradient up to the mean of the others: otherwise padding would hide any drift.
 *
 * @param lengths - of completions of groups with a gradient, in tokens by their share; `taught`: those with an advantage, each by its weight.
 */
function countedTokens(
  groups: readonly RolloutGroup[],
  haveGradient: readonly boolean[],
  lengths: readonly { readonly tokens: number; readonly taught: number }[],
): number {
  const taught = lengths.map(length => length.taught).filter(count => count > 0)
  const untaught = lengths.map(length => length.tokens - length.taught)
  // Without any, as with advantages of 0, nothing is hidden.
  const trained = cappedSum(untaught, mean(taught) || Number.POSITIVE_INFINITY, sum(taught))
  const others = groups
    .filter((_, g) => !haveGradient[g])
    .map(group => sum(group.completions.map(c => c.tokens.length)))
  return cappedSum(others, trained / haveGradient.filter(Boolean).length, trained)
}

const sum = (lengths: readonly number[]) => cappedSum(lengths, Number.POSITIVE_INFINITY)
const cappedSum = (lengths: readonly number[], cap: number, from = 0) =>
  lengths.reduce((total, length) => total + Math.min(length, cap), from)

/** Lets the step compute the old log-probabilities, and uses the given ones as those of the sampling policy. */
const unclaimed = (group: readonly ClaimedSequence[]): PolicySequence[] =>
  group.map(({ oldLogprobs, ...sequence }) => ({ samplingLogprobs: oldLogprobs, ...sequence }))

/** @param own - [scored.length] of each sequence; null if they were not computed, which refutes nothing. */
function countRefuted(groups: readonly ClaimedSequence[][], own: readonly (Float32Array | null)[]): number {
  let next = 0
  return groups.filter(group => {
    const ofGroup = own.slice(next, next + group.length)
    next += group.length
    const claims = group.map(({ samplingLogprobs, oldLogprobs }) => samplingLogprobs ?? oldLogprobs)
    const isComputed = (_: unknown, i: number) => ofGroup[i] !== null
    return refutesClaims(
      ofGroup.filter(logprobs => logprobs !== null),
      claims.filter(isComputed),
    )
  }).length
}

function checkGroup({ completions }: RolloutGroup, trained: Pick<Trainer, 'temperature' | 'topP'>): void {
  for (const { tokens, logprobs, samplingLogprobs = logprobs, reward, sampling } of completions) {
    if (sampling) checkSampling(sampling, trained)
    for (const given of [logprobs, samplingLogprobs]) {
      if (given.length !== tokens.length) throw refuse(`${given.length} log-probabilities for ${tokens.length} tokens`)
      if (!given.every(Number.isFinite)) throw refuse('a log-probability is not finite')
    }
    if (!Number.isFinite(Math.fround(reward))) throw refuse('a reward is not finite, or too large for float32')
  }
}

/** A group as training sequences, without empty completions. */
function policySequences({ prompt, completions }: RolloutGroup, advantages: Float32Array): ClaimedSequence[] {
  return completions.flatMap(({ tokens, logprobs, samplingLogprobs, truncated = false }, i) => {
    if (tokens.length === 0) return []
    const sequence = new Int32Array(prompt.length + tokens.length)
    sequence.set(prompt)
    sequence.set(tokens, prompt.length)
    const scored = Int32Array.from(tokens, (_, t) => prompt.length + t)
    const advantage = advantages[i] as number
    const sampled = samplingLogprobs ? { samplingLogprobs } : {}
    return [{ tokens: sequence, scored, oldLogprobs: logprobs, ...sampled, advantage, truncated }]
  })
}

const refuse = (problem: string) =>
  new TrainerError(`a rollout group cannot be trained on: ${problem}`, {
    hint: 'Check groups taken from peers before training on them.',
  })
