import type { ScoredSequence } from '#model/decoder/batch.ts'
import { type ImportanceWeightsOptions, importanceWeights } from '../importanceWeights.ts'
import { type TokenWeightsOptions, tokenWeights } from '../passes/tokenWeights.ts'
import type { PolicyLossOptions } from '../policyLoss.ts'
import { TrainerError } from '../trainerError.ts'

/** A completion to learn from its advantage. */
export interface PolicySequence extends ScoredSequence {
  /** [scored.length] under the policy before the update. */
  readonly oldLogprobs: Float32Array
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

/** A sequence with one number a scored token for each input of the loss, by the input's name. */
export interface LossTarget extends ScoredSequence {
  readonly perToken: Readonly<Record<string, Float32Array>>
}

/**
 * What a batch of completions asks of the loss. Masked completions are left out, after they have been counted.
 *
 * @throws {TrainerError} if an array has not one number a scored token, or a reference is missing.
 */
export function policyTargets(batch: readonly PolicySequence[], options: PolicyBatchOptions): LossTarget[] {
  const isMasked = (s: PolicySequence) => options.maskTruncatedCompletions === true && s.truncated === true
  const weights = tokenWeights(
    batch.map(s => (isMasked(s) ? 0 : s.scored.length)),
    options,
  )
  return batch.flatMap((sequence, i) => {
    if (isMasked(sequence) || sequence.scored.length === 0) return []
    const { tokens, scored, advantage, oldLogprobs, samplingLogprobs } = sequence
    const constant = (x: number) => new Float32Array(scored.length).fill(x)
    const advantages = samplingLogprobs
      ? importanceWeights(oldLogprobs, samplingLogprobs, options).map(weight => weight * advantage)
      : constant(advantage)
    const reference = options.klBeta > 0 ? { referenceLogprobs: referenceOf(sequence) } : {}
    const perToken = { weights: constant(weights[i] as number), advantages, oldLogprobs, ...reference }
    return [checkedTarget({ tokens, scored, perToken })]
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
