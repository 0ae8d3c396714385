import { type Device, keepsTensors } from '#engine/devices/device.ts'
import { vectorJacobian } from '#engine/gradients.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import type { DType, GraphNode, Shape, Value } from '#engine/value.ts'
import { positionsAfterPrompt } from '#model/decoder/attendAfterPrompt.ts'
import { causalMask, type Positions } from '#model/decoder/attendCausally.ts'
import { type DecoderParts, decoderLayer, denseParts } from '#model/decoder/decoder.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { decoderWeightShapes } from '#model/decoder/decoderWeights.ts'
import { type LoraConfig, loraScaling, type StepPrecision } from '#model/lora/loraConfig.ts'
import { loraShapes } from '#model/lora/loraFactors.ts'
import { loraParts } from '#model/lora/loraParts.ts'
import { halfParts, halfShapes } from '#model/quantization/halfParts.ts'
import { integerParts, integerShapes } from '#model/quantization/integerParts.ts'
import type { KeptActivations } from '../passes/layeredPassOptions.ts'
import { gradientName } from '../passes/trainingGraphs.ts'

/** The names of one layer's tensors in the models: those of layer 0. */
const LAYER = 'model.layers.0'

/** A layer's forward and backward pass as two models that serve every layer of a decoder with the same modules adapted. */
export interface LayerModels {
  /** Inputs `x`, those of the positions, (`rows`,) the layer's tensors; outputs `y` and the kept values, under the names in `kept`. */
  readonly forward: OnnxModel
  /** The inputs of `forward`, the kept values and `dy`; outputs `dx` and the gradients of the trained tensors. */
  readonly backward: OnnxModel
  readonly kept: readonly Value[]
  /** The layer's tensors by their names in layer 0, and which of them are trained. */
  readonly tensors: ReadonlyMap<string, { readonly dtype: DType; readonly shape: Shape; readonly trained: boolean }>
}

interface LayerModelOptions {
  readonly real?: 'f32' | 'f64'
  /** With an adapter its factors are trained, without one the layer's weights. */
  readonly lora?: LoraConfig | undefined
  /** The last layer is computed only at the rows that are scored: an input `rows` i64 [M], and `y` is [M, hidden]. */
  readonly last?: boolean
  /** Sequences that begin with one prompt, whose tokens are computed once: `x` is [N, hidden], see `attendAfterPrompt`. */
  readonly afterPrompt?: boolean
  readonly kept?: KeptActivations
  /** Precision of the products with an adapter's base; see `integerParts`. */
  readonly precision?: StepPrecision
  /** Device that they are encoded for; the CPU. Activations stay on a device that keeps tensors. */
  readonly device?: Device | undefined
}

/**
 * One layer, for all: weights are inputs, so one pair of sessions serves every layer, and only one layer's intermediate
 * values exist at a time. Two sessions, because within one graph ONNX Runtime would merge recomputed values with the original ones and so keep
 * them in memory.
 *
 * @see Chen et al., Training Deep Nets with Sublinear Memory Cost, arXiv:1604.06174.
 */
export function layerModels(config: DecoderConfig, options: LayerModelOptions = {}): LayerModels {
  const graph = new Graph(options.real)
  const x = graph.input('x', graph.real, [...(options.afterPrompt ? ['N'] : ['B', 'T']), config.hiddenSize])
  const positions = options.afterPrompt ? positionsAfterPrompt(graph, config) : sequencePositions(graph, config)
  const rows = options.last ? graph.input('rows', 'i64', ['M']) : undefined
  const { parts, projected, trained, tensors } = layerTensors(graph, config, options)
  const y = decoderLayer(config, parts, LAYER, x, positions, rows)
  const forwardEnd = graph.nodes.length
  const dy = graph.input('dy', graph.real, y.shape)
  const [dx, ...shares] = vectorJacobian(y, dy, [x, ...trained.values()])
  const backward: Record<string, Value> = { dx: dx as Value }
  for (const [i, name] of [...trained.keys()].entries()) backward[gradientName(name)] = shares[i] as Value
  const kept = options.kept === 'input' ? [] : neededProducts(Object.values(backward), forwardEnd, projected)
  const forward = { y, ...Object.fromEntries(kept.map(value => [value.name, value])) }
  const { device = 'cpu' } = options
  const staying = (...names: string[]) => (keepsTensors(device) ? names : [])
  return {
    forward: encodeModel(forward, [], device, staying(...Object.keys(forward))),
    backward: encodeModel(backward, kept, device, staying(...Object.keys(backward))),
    kept,
    tensors,
  }
}

/** An adapter's part in one layer; it may adapt other modules in other layers, or none. */
export function loraOfLayer(config: DecoderConfig, lora: LoraConfig, layer: number): LoraConfig {
  const [prefix, suffix] = [`model.layers.${layer}.`, '.lora_A.weight']
  const targets = [...loraShapes(config, lora).keys()]
    .filter(name => name.startsWith(prefix) && name.endsWith(suffix))
    .map(name => name.slice(prefix.length, -suffix.length))
  return { ...lora, targets }
}

function sequencePositions(graph: Graph, config: DecoderConfig): Positions {
  const [cos, sin] = ['cos', 'sin'].map(name => graph.input(name, graph.real, ['T', config.headDim])) as [Value, Value]
  return { cos, sin, mask: causalMask(config.heads / config.kvHeads, cos) }
}

function layerTensors(
  graph: Graph,
  config: DecoderConfig,
  { lora, precision = 'float32', device = 'cpu' }: LayerModelOptions,
) {
  const inputs = (shapes: ReadonlyMap<string, { dtype: DType; shape: Shape }>) =>
    new Map(
      [...shapes]
        .filter(([name]) => name.startsWith(`${LAYER}.`))
        .map(([name, { dtype, shape }]) => [name, graph.input(name, dtype, shape)]),
    )
  const real = (shapes: ReadonlyMap<string, readonly number[]>) =>
    new Map([...shapes].map(([name, shape]) => [name, { dtype: graph.real, shape }]))
  const isKept = keepsTensors(device)
  const shapes = {
    float32: () => real(decoderWeightShapes(config)),
    float16: () => halfShapes(decoderWeightShapes(config), isKept),
    int8: () => integerShapes(config, isKept ? 'u8' : 'i8'),
  }
  const weights = inputs(shapes[precision]())
  const factors = lora ? inputs(real(loraShapes(config, lora))) : new Map<string, Value>()
  const base = { float32: denseParts, float16: halfParts, int8: integerParts }[precision](weights)
  const plain: DecoderParts = lora ? loraParts(base, factors, loraScaling(lora)) : base
  const projected = new Set<Value>()
  const parts: DecoderParts = {
    ...plain,
    project(x, name) {
      const y = plain.project(x, name)
      projected.add(y)
      if (name.endsWith('.o_proj')) projected.add(x)
      return y
    },
  }
  const trained = lora ? factors : weights
  const tensors = new Map(
    [...weights, ...factors].map(([name, { dtype, shape }]) => [name, { dtype, shape, trained: trained.has(name) }]),
  )
  return { parts, projected, trained, tensors }
}

/**
 * The outputs of linear modules, of attention and of an adapter's thin products that gradients need, directly or through cheaper values that
 * are recomputed.
 */
function neededProducts(gradients: readonly Value[], forwardEnd: number, projected: ReadonlySet<Value>): Value[] {
  const kept = new Set<Value>()
  const seen = new Set<Value>()
  const stack = [...gradients]
  for (let value = stack.pop(); value; value = stack.pop()) {
    if (seen.has(value) || !value.producer) continue
    seen.add(value)
    const isForward = value.producer.sequence < forwardEnd
    if (isForward && (projected.has(value) || isWeightProduct(value.producer))) kept.add(value)
    else for (const input of value.producer.inputs) if (input) stack.push(input)
  }
  return [...kept].sort((a, b) => sequence(a) - sequence(b))
}

const sequence = (value: Value) => value.producer?.sequence ?? 0
/** Attention's products are of two activations, and cheap for their size. */
const isWeightProduct = ({ op, inputs }: GraphNode) => op === 'MatMul' && inputs[1]?.producer === null
