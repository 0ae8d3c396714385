import type { Graph, Value } from '#engine/graph.ts'
import type { Weights } from './weights.ts'

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
