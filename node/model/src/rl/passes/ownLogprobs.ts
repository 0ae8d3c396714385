import type { LossTarget } from './policyBatch.ts'

/**
 * Adds the log-probabilities of the trained policy to a part whose loss needs them; returns other parts unchanged.
 *
 * @param compute - returns [M], the log-probabilities of all scored tokens of the part.
 */
export async function withOwnLogprobs(
  part: readonly LossTarget[],
  compute: () => Promise<Float32Array>,
): Promise<readonly LossTarget[]> {
  if (!part.some(({ perTokenOf }) => perTokenOf)) return part
  const all = await compute()
  let at = 0
  return part.map(target => {
    const own = all.slice(at, at + target.scored.length)
    at += target.scored.length
    return target.perTokenOf ? { ...target, perToken: target.perTokenOf(own) } : target
  })
}
