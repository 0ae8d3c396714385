import type { Device } from '#engine/device.ts'
import { Graph, type Value } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import {
  flattenRows,
  gatherElements,
  logSoftmax,
  maxOver,
  reshape,
  rmsNorm,
  split,
  squeeze,
  sub,
  unsqueeze,
} from '#engine/tensor.ts'
import { type DecoderParts, decoderStream } from './decoder.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes } from './decoderWeights.ts'
import type { Freeze, FrozenParts } from './frozenParts.ts'

/**
 * A frozen decoder that says how likely tokens are: all positions at once, the output layer only where it is asked for.
 *
 * Inputs: `ids` i64 [B, T]; `cos`, `sin` f32 [T, headDim]; `rows`, `targets` i64 [M], as in `tokenScores`.
 * Outputs: `logprobs` f32 [M]; `gaps` f32 [M], by how much the likeliest token's log-probability is above it; `logits` f32 [M, V].
 */
export function buildScoringModel(
  config: DecoderConfig,
  freeze: Freeze,
  outputs: readonly ('logprobs' | 'gaps' | 'logits')[],
  device: Device = 'cpu',
): OnnxModel {
  const graph = new Graph()
  const frozen = freeze(graph)
  const ids = graph.input('ids', 'i64', ['B', 'T'])
  const cos = graph.input('cos', 'f32', ['T', config.headDim])
  const sin = graph.input('sin', 'f32', ['T', config.headDim])
  const rows = graph.input('rows', 'i64', ['M'])
  const embedded = reshape(frozen.embed(reshape(ids, ['B*T'])), ['B', 'T', config.hiddenSize])
  const hidden = decoderStream(config, layerParts(config, frozen), embedded, cos, sin, rows) // (M, hidden)
  const logits = frozen.logits(rmsNorm(hidden, frozen.weight('model.norm.weight'), config.rmsNormEps)) // (M, V)
  if (outputs.includes('logits')) return encodeModel({ logits }, [], device)
  const all = logSoftmax(logits)
  const logprobs = squeeze(gatherElements(all, unsqueeze(graph.input('targets', 'i64', ['M']), -1), -1), -1)
  return encodeModel({ logprobs, gaps: sub(maxOver(all, -1), logprobs) }, [], device)
}

/** Modules that read the same rows, and are one product where a model is frozen. */
const joined = ['q_proj', 'k_proj', 'v_proj'] as const

/** Frozen parts as a decoder asks for them: module by module, over rows of any shape. */
function layerParts(config: DecoderConfig, frozen: FrozenParts): DecoderParts {
  const shapes = decoderWeightShapes(config)
  const widthOf = (module: string) => shapes.get(`${module}.weight`)?.[0] as number
  const products = new Map<Value, Map<string, Value>>()
  const productsOf = (x: Value, name: string): Map<string, Value> => {
    const known = products.get(x)
    if (known?.has(name)) return known
    const at = name.lastIndexOf('.') + 1
    const own = name.slice(at)
    const group = joined.some(part => part === own) ? joined : [own]
    const names = group.map(part => name.slice(0, at) + part)
    const y = frozen.project(flattenRows(x), ...names)
    const parts = names.length === 1 ? [y] : split(y, -1, names.map(widthOf))
    const made = new Map(names.map((module, i) => [module, parts[i] as Value]))
    products.set(x, made)
    return made
  }
  return {
    weight: frozen.weight,
    project: (x, name) => {
      const y = productsOf(x, name).get(name) as Value
      return reshape(y, [...x.shape.slice(0, -1), widthOf(name)])
    },
  }
}
