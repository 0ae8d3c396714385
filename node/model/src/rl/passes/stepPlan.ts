import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { decoderWeightShapes } from '#model/decoder/decoderWeights.ts'
import { FLOAT_PART } from '#model/decoder/vocabularyParts.ts'
import type { StepPrecision } from '#model/lora/loraConfig.ts'
import { VOCABULARY_PART } from '#model/quantization/integerOutputLayer.ts'
import { TrainerError } from '../trainerError.ts'
import { LEAST_TOKENS, partTokensOf } from './gradientPass.ts'
import type { KeptActivations } from './layeredPassOptions.ts'

/** How a layered step is divided to fit its memory. */
export interface StepPlan {
  /** Sequences in a part, of one prompt or without a shared prompt. */
  readonly sequences: number
  /** Rows of a part of several prompts at most. */
  readonly rows: number
  readonly kept: KeptActivations
  /** Rows of the output layer at a time; unused if that layer runs in one piece. */
  readonly headRows: number
  /** Estimated memory of the step without the weights. */
  readonly bytes: number
}

export interface StepShape {
  /** Sequences in the batch. */
  readonly batch: number
  /** Tokens of the longest. */
  readonly length: number
  /** Groups of sequences that share a prompt; those that share none count as one group. */
  readonly groups: number
  /** Tokens of a prompt that the sequences of a part share, 0 if some share none. */
  readonly prompt: number
  /** Scored tokens of the longest completion. */
  readonly scored: number
  /** Scored tokens of the shortest. */
  readonly leastScored: number
  /** Elements of all trained tensors. */
  readonly trained: number
  /** Elements of the trained tensors of the layer that has the most. */
  readonly trainedInLayer: number
  /** Whether the output layer or the embedding is trained. */
  readonly tablesTrained: boolean
  /** Whether the output layer must run in one piece. */
  readonly wholeHead: boolean
  /** Precision of the output layer; float32 by default. */
  readonly precision?: StepPrecision
}

/** Arrays of [rows, vocabulary], or of a part of it, that the output layer holds at once; the first two were measured. */
const HEAD_COPIES = { whole: 2.2, parts: 4, int8: 6 }
/**
 * Kept activations, minimum of rows of the output layer at a time, and whether parts have all their tokens, from the fastest to the one that needs
 * the least memory: with few rows, most of the output layer's time goes to packing it. All but the last are bitwise identical.
 */
const preferences: readonly (readonly [KeptActivations, number, boolean])[] = [
  ['products', 256, true],
  ['input', 256, true],
  ['input', 64, false],
]
/**
 * Rows of the output layer at a time are a power of two up to this, even if memory or batch would allow another number: a pass is built again
 * when the number changes, and batches differ from step to step.
 */
const MOST_HEAD_ROWS = 1024
/** Maximum of rows of a part of several prompts. Kept activations grow with them, and steps on short completions should need little memory. */
const PACKED_ROWS = 768
/** Factor for the memory that ONNX Runtime's arenas round up and keep. */
const ARENA_FACTOR = 1.25

/**
 * Arrays that a layer's session holds at once: of attention's scores and of a row's inner and outer width, measured, and of the keys that each
 * sequence attends to, counted. Sessions keep their memory. Forwards there is one for the last layer, which computes fewer rows, and one for the
 * others; backwards there are two similar ones.
 */
const FORWARD = { sessions: 1.7, scores: 3, keys: 4, inner: 3, hidden: 4 }
const BACKWARD = { sessions: 2, scores: 3, keys: 8, inner: 5, hidden: 6 }

/**
 * The fastest plan for a step in the given memory: with all products kept, else with layers computed twice, else in smaller parts with few
 * rows of the output layer at a time.
 *
 * If the output layer is trained, its gradient is a sum over its rows, so the rows at a time are fixed in all plans but the last.
 *
 * @throws {TrainerError} if one sequence does not fit, saying how much it needs.
 */
export function stepPlan(config: DecoderConfig, shape: StepShape, memoryBytes: number): StepPlan {
  for (const preference of preferences) {
    const plan = planFor(config, shape, preference, memoryBytes)
    if (plan.bytes <= memoryBytes) return plan
  }
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  throw new TrainerError(
    `a step needs ${gigabytes(leastStepBytes(config, shape))} where ${gigabytes(memoryBytes)} may be used`,
    { hint: 'Use shorter sequences, train an adapter instead of the weights, or free some memory.' },
  )
}

/** Bytes of the plan that needs the least memory. */
export function leastStepBytes(config: DecoderConfig, shape: StepShape): number {
  return Math.min(...preferences.map(preference => planFor(config, shape, preference, 0).bytes))
}

function planFor(
  config: DecoderConfig,
  shape: StepShape,
  [kept, minHeadRows, isWhole]: (typeof preferences)[number],
  memoryBytes: number,
): StepPlan {
  const partTokens = isWhole ? partTokensOf(config) : LEAST_TOKENS
  const { prompt, length } = shape
  // A prompt that fills a part by itself is still worth sharing: as many tokens again may follow it.
  const ownTokens = isWhole ? Math.max(partTokens - prompt, prompt) : partTokens - prompt
  const sequences = Math.min(shape.batch, Math.max(1, Math.floor(ownTokens / (length - prompt))))
  const packed = Math.min(partTokens, PACKED_ROWS)
  const isPacked = shape.groups > 1
  const rows = Math.max(sequences * shape.scored, isPacked ? Math.min(packed, shape.batch * shape.scored) : 0)
  const { forward, backward } = layersBytes(config, shape, { sequences, packed: isPacked ? packed : 0, kept })
  const { precision = 'float32' } = shape
  const perRow = headRowBytes(config, precision, shape.tablesTrained)
  // A float32 output layer frees its memory, sessions do not. In the first part it is finished before layers run backwards; in later parts both are in memory.
  const isOne = precision === 'float32' && shape.groups === 1 && sequences === shape.batch
  const layers = isOne ? forward : forward + backward
  const fitting = shape.tablesTrained ? 0 : Math.floor((memoryBytes - layers) / perRow)
  const isFixed = shape.wholeHead || (shape.tablesTrained && isWhole)
  const headRows = isFixed ? partTokens : Math.max(minHeadRows, Math.min(MOST_HEAD_ROWS, powerOfTwo(fitting)))
  const atOnce = shape.wholeHead ? rows : Math.min(rows, headRows)
  const bytes = Math.max(layers + atOnce * perRow, forward + backward)
  return { sequences, rows: packed, kept, headRows, bytes: Math.ceil(bytes) }
}

/** Bytes of the output layer for each of its rows at a time. */
function headRowBytes({ vocabSize }: DecoderConfig, precision: StepPrecision, isTrained: boolean): number {
  if (precision === 'int8') return 4 * HEAD_COPIES.int8 * Math.min(VOCABULARY_PART, vocabSize)
  if (isTrained || vocabSize <= FLOAT_PART) return 4 * HEAD_COPIES.whole * vocabSize
  return 4 * HEAD_COPIES.parts * FLOAT_PART
}

/** The largest power of two that is not above a number. */
const powerOfTwo = (limit: number) => 2 ** Math.floor(Math.log2(Math.max(1, limit)))

/** Bytes of optimizer, gradients and activations after the layers ran forwards, and the additional bytes for running them backwards. */
function layersBytes(
  config: DecoderConfig,
  shape: StepShape,
  { sequences, packed, kept }: { sequences: number; packed: number; kept: KeptActivations },
): { forward: number; backward: number } {
  const { hiddenSize: hidden, intermediateSize: inner, heads, kvHeads, headDim } = config
  const own = shape.length - shape.prompt
  const laidOut = sequences === 1 ? shape.length : shape.prompt + sequences * own
  const tokens = Math.max(LEAST_TOKENS, packed, laidOut)
  const products = 2 * (heads + kvHeads) * headDim + hidden + 2 * inner
  const stream = (config.layers + 3) * tokens * hidden
  const keptElements = kept === 'products' ? config.layers * tokens * products : 0
  const scores = heads * shape.length * Math.max(packed, sequences * own + shape.prompt)
  const attending = Math.min(shape.batch, Math.floor(tokens / Math.max(1, shape.leastScored)))
  const keys = shape.prompt > 0 || packed > 0 ? attending * shape.length * kvHeads * headDim : 0
  const workspace = (of: typeof FORWARD) =>
    ARENA_FACTOR *
    of.sessions *
    (of.scores * scores + of.keys * keys + tokens * (of.inner * inner + of.hidden * hidden))
  const tables = shape.tablesTrained ? 2 * config.vocabSize * hidden : 0
  const training = 3 * shape.trained + shape.trainedInLayer * (1 + ARENA_FACTOR) + tables
  return { forward: 4 * (stream + keptElements + training + workspace(FORWARD)), backward: 4 * workspace(BACKWARD) }
}

/** Arrays of each kind that one graph of the whole decoder holds at once, measured on the starter's solver. */
const WHOLE_COPIES = { hidden: 14, inner: 6, rows: 4, trained: 5 }

/** Bytes of optimizer, gradients and all intermediate values of a part, if one graph runs the whole decoder. */
export function wholeGraphBytes(config: DecoderConfig, shape: StepShape, partTokens: number): number {
  const sequences = Math.min(shape.batch, Math.max(1, Math.floor(partTokens / shape.length)))
  const tokens = Math.max(LEAST_TOKENS, sequences * shape.length)
  const { hidden, inner, rows, trained } = WHOLE_COPIES
  const perToken = hidden * config.hiddenSize + inner * config.intermediateSize
  const scores = 3 * sequences * config.heads * shape.length ** 2
  const head = rows * sequences * shape.scored * config.vocabSize
  return 4 * ARENA_FACTOR * (config.layers * (tokens * perToken + scores) + head + trained * shape.trained)
}

/** Numbers of trained elements, in total and in the largest layer, for a `StepShape`. */
export function trainedElements(
  config: DecoderConfig,
  parameters: ReadonlyMap<string, { readonly data: Float32Array }>,
): Pick<StepShape, 'trained' | 'trainedInLayer' | 'tablesTrained'> {
  let trained = 0
  const inLayer = new Array<number>(config.layers).fill(0)
  for (const [name, { data }] of parameters) {
    trained += data.length
    const layer = /^model\.layers\.(\d+)\./.exec(name)?.[1]
    if (layer !== undefined) inLayer[Number(layer)] = (inLayer[Number(layer)] as number) + data.length
  }
  const trainedInLayer = Math.max(...inLayer)
  const tables = [...decoderWeightShapes(config).keys()].filter(name => /embed_tokens|lm_head/.test(name))
  return { trained, trainedInLayer, tablesTrained: tables.some(name => parameters.has(name)) }
}
