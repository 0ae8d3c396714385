import { TrainerError } from '../trainerError.ts'

/**
 * How the losses of a batch's tokens become one number, by TRL's names.
 *
 * - `grpo`: the mean over completions of the mean over their tokens (arXiv:2402.03300 equation 3). A long completion's token
 *   counts less, so long wrong answers are favoured.
 * - `dapo`, `bnpo`: the mean over all tokens of the batch (DAPO, arXiv:2503.14476 section 3.3). TRL's two differ where a step is
 *   accumulated from several batches; here the mean is always over the whole step, as TRL's `dapo` has it.
 * - `dr_grpo`: the sum over tokens divided by what it could at most have been, completions times `maxCompletionLength`
 *   (arXiv:2503.20783 section 3): no length is favoured.
 */
type LossType = 'grpo' | 'dapo' | 'bnpo' | 'dr_grpo'

export interface TokenWeightsOptions {
  /** `dapo` by default. */
  readonly lossType?: LossType
  /** Tokens that a completion may have at most; for `dr_grpo`. */
  readonly maxCompletionLength?: number
}

/**
 * The weight of each completion's tokens in the loss of a batch.
 *
 * @param lengths - tokens of each completion that count; 0 for one that is masked, which still counts as a completion.
 * @returns one weight for each completion, the same for all its tokens.
 * @throws {TrainerError} if `dr_grpo` has no `maxCompletionLength`.
 */
export function tokenWeights(
  lengths: readonly number[],
  { lossType = 'dapo', maxCompletionLength }: TokenWeightsOptions = {},
): number[] {
  const total = lengths.reduce((a, b) => a + b, 0)
  switch (lossType) {
    case 'grpo':
      return lengths.map(length => 1 / (Math.max(length, 1) * lengths.length))
    case 'dapo':
    case 'bnpo':
      return lengths.map(() => 1 / Math.max(total, 1))
    case 'dr_grpo':
      if (!maxCompletionLength) {
        throw new TrainerError('dr_grpo divides by the longest possible completion, which is not given', {
          hint: 'Give maxCompletionLength, the limit of new tokens in generation.',
        })
      }
      return lengths.map(() => 1 / (lengths.length * maxCompletionLength))
  }
}
