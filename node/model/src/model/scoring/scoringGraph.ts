import type { Device } from '#engine/devices/device.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import {
  flattenRows,
  gatherElements,
  logSoftmax,
  maxOver,
  mul,
  reshape,
  rmsNorm,
  softmax,
  split,
  squeeze,
  sub,
  unsqueeze,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { type DecoderParts, decoderStream } from '../decoder/decoder.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import type { Freeze, FrozenParts } from '../quantization/frozenParts.ts'

/**
 * A frozen decoder that scores tokens: all positions at once, the output layer only at the requested rows.
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
  const logits = logitsOfRows(graph, config, freeze)
  if (outputs.includes('logits')) return encodeModel({ logits }, [], device)
  const all = logSoftmax(logits)
  const logprobs = logprobsOf(all, targetsOf(graph))
  return encodeModel({ logprobs, gaps: sub(maxOver(all, -1), logprobs) }, [], device)
}

/**
 * The same decoder, and the distributions that tokens are drawn from.
 *
 * Inputs: those of `buildScoringModel` without `targets`; `inverseTemperature` f32 [].
 * Outputs: `probabilities` f32 [M, V] under the scaled logits.
 */
export function buildDrawsModel(config: DecoderConfig, freeze: Freeze, device: Device = 'cpu'): OnnxModel {
  const graph = new Graph()
  const logits = logitsOfRows(graph, config, freeze)
  return encodeModel({ probabilities: softmax(mul(logits, graph.input('inverseTemperature', 'f32', []))) }, [], device)
}

/** Logits [M, V] after the tokens at `rows`. */
function logitsOfRows(graph: Graph, config: DecoderConfig, freeze: Freeze): Value {
  const frozen = freeze(graph)
  const ids = graph.input('ids', 'i64', ['B', 'T'])
  const cos = graph.input('cos', 'f32', ['T', config.headDim])
  const sin = graph.input('sin', 'f32', ['T', config.headDim])
  const rows = graph.input('rows', 'i64', ['M'])
  const embedded = reshape(frozen.embed(reshape(ids, ['B*T'])), ['B', 'T', config.hiddenSize])
  const hidden = decoderStream(config, layerParts(config, frozen), embedded, cos, sin, rows) // (M, hidden)
  return frozen.logits(rmsNorm(hidden, frozen.weight('model.norm.weight'), config.rmsNormEps))
}

/** Target of each row, [M, 1]. */
const targetsOf = (graph: Graph) => unsqueeze(graph.input('targets', 'i64', ['M']), -1)

const logprobsOf = (all: Value, targets: Value) => squeeze(gatherElements(all, targets, -1), -1)

/** Modules that read the same rows and become one product in a frozen model. */
const joined = ['q_proj', 'k_proj', 'v_proj'] as const

/** Adapts frozen parts to a decoder: module by module, over rows of any shape. */
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
