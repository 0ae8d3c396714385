import type { Graph } from '#engine/graph.ts'
import type { Value } from '#engine/value.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { Weights } from './weights.ts'

/** Limit for weights in a program: a program is one protocol buffer, which ends at 2 GiB, and its nodes take some of that. */
const MAX_CONSTANT_BYTES = 2 ** 31 - 2 ** 24

/** @throws {ModelInputError} if the weights are too large to be constants of a program. Call it before copying any of them. */
export function requireConstants(weights: Weights): void {
  const bytes = [...weights.values()].reduce((sum, { data }) => sum + data.byteLength, 0)
  if (bytes <= MAX_CONSTANT_BYTES) return
  throw new ModelInputError(`weights of ${(bytes / 2 ** 30).toFixed(1)} GiB exceed the 2 GiB of a program`, {
    hint: 'Use loadGenerator and loadScorer, which read the files of a model in place, or train an adapter.',
  })
}

/**
 * Weights as constants of a graph, several joined by their output rows into one matrix or bias, so that one product serves
 * all. The same names give the same constant.
 */
export function constantWeights(graph: Graph, weights: Weights): (...names: readonly string[]) => Value {
  const made = new Map<string, Value>()
  return (...names) => {
    const key = names.join()
    const known = made.get(key)
    if (known) return known
    const parts = names.map(name => weights.get(name)).filter(part => part !== undefined)
    const rows = parts.reduce((sum, { shape }) => sum + (shape[0] as number), 0)
    const data = new Float32Array(parts.reduce((sum, part) => sum + part.data.length, 0))
    let at = 0
    for (const part of parts) {
      data.set(part.data, at)
      at += part.data.length
    }
    const value = graph.constant('f32', [rows, ...(parts[0]?.shape.slice(1) ?? [])], data)
    made.set(key, value)
    return value
  }
}
