import { type Tensor, tensor } from '#engine/session.ts'
import type { LossTarget } from './policyBatch.ts'
import type { LossKind } from './trainingGraphs.ts'

/** The feeds of a loss's inputs (see `lossInputs`) for some sequences, joined in their order. */
export function lossFeeds(loss: LossKind, targets: readonly LossTarget[]): Record<string, Tensor> {
  const count = targets.reduce((n, target) => n + target.scored.length, 0)
  const feeds: Record<string, Tensor> = {}
  for (const name of Object.keys(targets[0]?.perToken ?? {})) {
    const all = new Float32Array(count)
    let at = 0
    for (const { perToken, scored } of targets) {
      all.set(perToken[name] as Float32Array, at)
      at += scored.length
    }
    feeds[name] = tensor('f32', all, [count])
  }
  const bySequence = loss.kind === 'policy' && loss.importanceSamplingLevel === 'sequence'
  return bySequence ? { ...feeds, ...sequenceFeeds(targets, count) } : feeds
}

function sequenceFeeds(targets: readonly LossTarget[], count: number): Record<string, Tensor> {
  const means = new Float32Array(targets.length * count)
  const sequences = new BigInt64Array(count)
  let at = 0
  for (const [s, { scored }] of targets.entries()) {
    means.fill(1 / scored.length, s * count + at, s * count + at + scored.length)
    sequences.fill(BigInt(s), at, at + scored.length)
    at += scored.length
  }
  return { sequenceMeans: tensor('f32', means, [targets.length, count]), sequences: tensor('i64', sequences, [count]) }
}
