import type { DecoderConfig } from '#model/decoderConfig.ts'
import { decoderWeightShapes } from '#model/decoderWeights.ts'
import type { KeptActivations } from './layerModels.ts'
import { TrainerError } from './trainerError.ts'

/** How a layered step is cut to fit its memory. */
export interface StepPlan {
  /** Sequences in a part. */
  readonly sequences: number
  readonly kept: KeptActivations
  /** Rows of the output layer at a time. */
  readonly headRows: number
  /** What the step is estimated to use, beside the weights. */
  readonly bytes: number
}

export interface StepShape {
  /** Sequences in the batch. */
  readonly batch: number
  /** Tokens of the longest. */
  readonly length: number
  /** Tokens of a prompt that the sequences of a part share, 0 if some share none. */
  readonly prompt: number
  /** Scored tokens of the longest completion. */
  readonly scored: number
  /** Elements of all trained tensors. */
  readonly trained: number
  /** Elements of those of one layer. */
  readonly trainedInLayer: number
  /** Whether the output layer or the embedding is trained. */
  readonly tablesTrained: boolean
  /** Whether the output layer must run in one piece. */
  readonly wholeHead: boolean
}

/** Arrays of [rows, vocabulary] that the output layer holds at once, measured. */
const HEAD_COPIES = 2.2
/**
 * What is kept, and the fewest rows of the output layer at a time, from the fastest to what needs least: with few rows its
 * products are mostly spent on packing it.
 */
const preferences: readonly (readonly [KeptActivations, number])[] = [
  ['products', 256],
  ['input', 256],
  ['input', 64],
]
/** What ONNX Runtime's arenas round up and keep. */
const ARENA_FACTOR = 1.25

/**
 * The fastest way to run a step in the given memory: as many sequences at a time as fit with all products kept, else with
 * layers computed a second time.
 *
 * @throws {TrainerError} if one sequence does not fit, saying how much it needs.
 */
export function stepPlan(config: DecoderConfig, shape: StepShape, memoryBytes: number): StepPlan {
  let least = Number.POSITIVE_INFINITY
  for (const [kept, minHeadRows] of preferences) {
    for (let sequences = shape.batch; sequences >= 1; sequences--) {
      const rows = sequences * shape.scored
      const base = layersBytes(config, shape, sequences, kept)
      const perRow = 4 * HEAD_COPIES * config.vocabSize
      const fitting = Math.floor((memoryBytes - base) / perRow)
      const headRows = shape.wholeHead ? rows : Math.min(rows, Math.max(minHeadRows, fitting))
      const bytes = Math.ceil(base + headRows * perRow)
      if (bytes <= memoryBytes) return { sequences, kept, headRows, bytes }
      least = Math.min(least, bytes)
    }
  }
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  throw new TrainerError(`a step needs ${gigabytes(least)} where ${gigabytes(memoryBytes)} may be used`, {
    hint: 'Use shorter sequences, train an adapter in place of the weights, or free some memory.',
  })
}

/** Bytes of optimizer, gradients and activations, less the output layer's. */
function layersBytes(config: DecoderConfig, shape: StepShape, sequences: number, kept: KeptActivations): number {
  const { hiddenSize: hidden, intermediateSize: inner, heads, kvHeads, headDim } = config
  const own = shape.length - shape.prompt
  const tokens = sequences === 1 ? shape.length : shape.prompt + sequences * own
  const products = (heads + 2 * kvHeads) * headDim + hidden + 2 * inner
  const stream = (config.layers + 3) * tokens * hidden
  const keptElements = kept === 'products' ? config.layers * tokens * products : 0
  const scores = sequences * heads * own * shape.length + heads * shape.prompt * shape.length
  const workspace = ARENA_FACTOR * (3 * scores + tokens * (6 * inner + 12 * hidden))
  const tables = shape.tablesTrained ? 2 * config.vocabSize * hidden : 0
  const training = 3 * shape.trained + shape.trainedInLayer * (1 + ARENA_FACTOR) + tables
  return 4 * (stream + keptElements + workspace + training)
}

/** Elements that are trained, all and in one layer, for a `StepShape`. */
export function trainedElements(
  config: DecoderConfig,
  parameters: ReadonlyMap<string, { readonly data: Float32Array }>,
): Pick<StepShape, 'trained' | 'trainedInLayer' | 'tablesTrained'> {
  let [trained, trainedInLayer] = [0, 0]
  for (const [name, { data }] of parameters) {
    trained += data.length
    if (name.startsWith('model.layers.0.')) trainedInLayer += data.length
  }
  const tables = [...decoderWeightShapes(config).keys()].filter(name => /embed_tokens|lm_head/.test(name))
  return { trained, trainedInLayer, tablesTrained: tables.some(name => parameters.has(name)) }
}
