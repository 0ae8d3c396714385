import {
  add,
  cast,
  div,
  gatherElements,
  gatherND,
  less,
  log,
  mul,
  reshape,
  squeeze,
  sub,
  sumOver,
  where,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { blocksOf } from '../generation/drawToken.ts'

export interface Place {
  /** [M]. */
  readonly logprobs: Value
  /** [M], the probability of all tokens with a smaller id. */
  readonly below: Value
}

/**
 * Where a token lies in each distribution: what `drawToken` inverts.
 *
 * @param probabilities - [M, V].
 * @param targets - i64 [M, 1].
 */
export function placeOf(probabilities: Value, targets: Value): Place {
  const { graph } = probabilities
  const size = probabilities.shape[1] as number
  const blocks = blocksOf(size)
  if (blocks === null) return placeWithin(probabilities, targets)
  // Sums of blocks, then one block: one pass over the vocabulary.
  const parts = reshape(probabilities, ['M', blocks.count, blocks.size])
  const block = div(targets, graph.scalar(blocks.size, 'i64')) // (M, 1)
  const within = placeWithin(
    gatherND(parts, block, 1), // (M, blocks.size)
    sub(targets, mul(block, graph.scalar(blocks.size, 'i64'))),
  )
  return { logprobs: within.logprobs, below: add(sumBefore(sumOver(parts, [2]), block), within.below) }
}

function placeWithin(probabilities: Value, targets: Value): Place {
  const logprobs = squeeze(log(gatherElements(probabilities, targets, -1)), -1)
  return { logprobs, below: sumBefore(probabilities, targets) }
}

/** Sum [M] of what lies before an index [M, 1]. */
function sumBefore(values: Value, index: Value): Value {
  const { graph } = values
  const size = values.shape[1] as number
  const numbers = graph.constant(
    'f32',
    [1, size],
    Float32Array.from({ length: size }, (_, i) => i),
  ) // exact up to 2^24
  return sumOver(where(less(numbers, cast(index, 'f32')), values, graph.scalar(0)), [1])
}
