import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { GradientSums, ScoredPolicy } from './gradientPass.ts'
import type { PlannedPasses } from './plannedPasses.ts'
import type { LossTarget, PerToken } from './policyBatch.ts'
import type { LossKind } from './trainingGraphs.ts'
import { withinMemory } from './withinMemory.ts'

/**
 * Runs whole batches, in the parts that the passes choose. If an allocation fails, the batch starts again with less memory.
 *
 * @param free - frees a gradient's sum.
 */
export function createBatchPasses<G>(passes: PlannedPasses<G>, free: (sum: G) => void) {
  async function logprobs(of: ScoredPolicy, loss: LossKind, all: readonly ScoredSequence[]): Promise<Float32Array[]> {
    const batch = all.filter(hasScores)
    if (batch.length === 0) return all.map(() => new Float32Array())
    const { pass, parts } = await passes.for(loss, batch)
    const scored: Float32Array[] = []
    for (const indices of parts) {
      const part = indices.map(i => batch[i] as ScoredSequence)
      const ofPart = await pass.logprobs(of, part)
      let at = 0
      for (const [p, i] of indices.entries()) {
        const end = at + (part[p] as ScoredSequence).scored.length
        scored[i] = ofPart.slice(at, end)
        at = end
      }
    }
    const next = scored.values()
    return all.map(one => (hasScores(one) ? (next.next().value as Float32Array) : new Float32Array()))
  }

  function freeAll(sums: GradientSums<G>): void {
    for (const sum of sums.values()) free(sum)
  }

  async function gradients(loss: LossKind, targets: readonly LossTarget[]) {
    const sums: GradientSums<G> = new Map()
    let total = 0
    // A batch without any is refused by the pass.
    const learned = targets.some(hasScores) ? targets.filter(hasScores) : targets
    const { pass, parts } = await passes.for(loss, learned)
    try {
      for (const indices of parts) {
        const part = indices.map(i => learned[i] as LossTarget)
        total += await pass.run(loss, twoRows(part), sums)
      }
    } catch (error) {
      freeAll(sums)
      throw error
    }
    return { sums, total }
  }

  return {
    /** `[scored.length]` for each sequence, in the order of the batch. */
    logprobs: (of: ScoredPolicy, loss: LossKind, batch: readonly ScoredSequence[]) =>
      withinMemory(passes, () => logprobs(of, loss, batch)),
    /** Learns from the loss and the sums of its gradients over all targets, which are freed then. */
    async gradients<T>(
      loss: LossKind,
      targets: readonly LossTarget[],
      learn: (total: number, sums: GradientSums<G>) => Promise<T>,
    ): Promise<T> {
      const { total, sums } = await withinMemory(passes, () => gradients(loss, targets))
      try {
        return await learn(total, sums)
      } finally {
        freeAll(sums)
      }
    },
    dispose: () => passes.dispose(),
  }
}

/**
 * Repeats the token of a part with a single scored token, without weight: a product with one row is computed differently, and passes would
 * differ in the last bits.
 */
export function twoRows(part: readonly LossTarget[]): readonly LossTarget[] {
  const [only, ...others] = part.filter(hasScores)
  if (!only || others.length > 0 || only.scored.length > 1) return part
  const [row = 0] = only.scored
  const { perToken, perTokenOf } = only
  const twice: LossTarget = {
    ...only,
    scored: Int32Array.of(row, row),
    perToken: weighedOnce(perToken),
    ...(perTokenOf && { perTokenOf: own => weighedOnce(perTokenOf(own.slice(0, 1))) }),
  }
  return part.map(target => (target === only ? twice : target))
}

/** A part in which no sequence has a scored token cannot run. */
const hasScores = ({ scored }: ScoredSequence) => scored.length > 0

const weighedOnce = (perToken: PerToken): PerToken =>
  Object.fromEntries(
    Object.entries(perToken).map(([name, [x = 0]]) => [name, Float32Array.of(x, name === 'weights' ? 0 : x)]),
  )
