import type { LossTarget } from '../policy/policyBatch.ts'

/**
 * A part whose loss needs the log-probabilities of what is trained, completed with them; a part that needs none as it is.
 *
 * @param compute - gives [M]: those of all scored tokens of the part.
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
