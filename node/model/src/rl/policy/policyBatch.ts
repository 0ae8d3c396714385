import type { ScoredSequence } from '#model/decoder/batch.ts'
import { type ImportanceWeightsOptions, importanceWeights } from '../importanceWeights.ts'
import { type TokenWeightsOptions, tokenWeights } from '../passes/tokenWeights.ts'
import type { PolicyLossOptions } from '../policyLoss.ts'
import { TrainerError } from '../trainerError.ts'

/** A completion to learn from its advantage. */
export interface PolicySequence extends ScoredSequence {
  /** [scored.length] under the policy before the update; by default the step computes them on its way. */
  readonly oldLogprobs?: Float32Array
  readonly advantage: number
  /** [scored.length] under the reference policy; needed when klBeta > 0, unless an adapter is trained. */
  readonly referenceLogprobs?: Float32Array
  /** [scored.length] under the policy that sampled it, where that is another: its tokens get importance weights. */
  readonly samplingLogprobs?: Float32Array
  /** Whether it was cut at the limit of its length; see `maskTruncatedCompletions`. */
  readonly truncated?: boolean
}

export interface PolicyBatchOptions extends PolicyLossOptions, TokenWeightsOptions, ImportanceWeightsOptions {
  /**
   * Leave truncated completions out of the loss, since their reward says nothing of how they would have ended; false
   * (arXiv:2503.14476 section 3.4).
   */
  readonly maskTruncatedCompletions?: boolean
}

/** One number a scored token for each input of a loss, by the input's name. */
export type PerToken = Readonly<Record<string, Float32Array>>

/** A sequence with what its loss takes. */
export interface LossTarget extends ScoredSequence {
  readonly perToken: PerToken
  /** What replaces `perToken` once a pass knows the log-probabilities of what is trained, [scored.length]. */
  readonly perTokenOf?: (logprobs: Float32Array) => PerToken
}

/**
 * What a batch of completions asks of the loss. Masked completions are left out, after they have been counted.
 *
 * @param computed - is told the log-probabilities before the update of the completions that came without, by index.
 * @throws {TrainerError} if an array has not one number a scored token, or a reference is missing.
 */
export function policyTargets(
  batch: readonly PolicySequence[],
  options: PolicyBatchOptions,
  computed: (index: number, logprobs: Float32Array) => void = () => {},
): LossTarget[] {
  const isMasked = (s: PolicySequence) => options.maskTruncatedCompletions === true && s.truncated === true
  const weights = tokenWeights(
    batch.map(s => (isMasked(s) ? 0 : s.scored.length)),
    options,
  )
  return batch.flatMap((sequence, i) => {
    if (isMasked(sequence) || sequence.scored.length === 0) return []
    const { tokens, scored, advantage, oldLogprobs, samplingLogprobs } = sequence
    const constant = (x: number) => new Float32Array(scored.length).fill(x)
    const reference = options.klBeta > 0 ? { referenceLogprobs: referenceOf(sequence) } : {}
    const perTokenOf = (old: Float32Array): PerToken => {
      const advantages = samplingLogprobs
        ? importanceWeights(old, samplingLogprobs, options).map(weight => weight * advantage)
        : constant(advantage)
      return { weights: constant(weights[i] as number), advantages, oldLogprobs: old, ...reference }
    }
    const target = checkedTarget({ tokens, scored, perToken: perTokenOf(oldLogprobs ?? constant(0)) })
    if (oldLogprobs) return [target]
    const perTokenLater = (own: Float32Array) => {
      computed(i, own)
      return perTokenOf(own)
    }
    return [{ ...target, perTokenOf: perTokenLater }]
  })
}

/** @throws {TrainerError} if an array has not one number a scored token. */
export function checkedTarget(target: LossTarget): LossTarget {
  for (const values of Object.values(target.perToken)) {
    if (values.length !== target.scored.length) {
      throw new TrainerError(`${values.length} values for ${target.scored.length} scored tokens`, {
        hint: 'Give one weight or log-probability for each scored token.',
      })
    }
  }
  return target
}

function referenceOf({ referenceLogprobs }: PolicySequence): Float32Array {
  if (referenceLogprobs) return referenceLogprobs
  throw new TrainerError('a KL penalty needs the log-probabilities of a reference policy', {
    hint: 'Set klBeta to 0, or give referenceLogprobs with every sequence.',
  })
}
