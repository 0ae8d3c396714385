import { gradients } from '#engine/gradients.ts'
import { Graph, type Value } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import { rmsNorm } from '#engine/tensor.ts'
import { decoderTokenLogProb, denseParts } from '#model/decoder.ts'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import { decoderWeightShapes } from '#model/decoderWeights.ts'
import { integerLogprobs, outputLayerShapes } from '#model/integerOutputLayer.ts'
import type { BasePrecision } from './layerModels.ts'
import { gradientName, type LossKind, lossInputs, lossOf } from './trainingGraphs.ts'

export interface HeadModelOptions {
  readonly real?: 'f32' | 'f64'
  readonly temperature?: number
  /** Of the output layer; see `outputLayerShapes`. */
  readonly precision?: BasePrecision
  /** Which of the head's tensors are trained: the last norm, the output layer. */
  readonly trained: (name: string) => boolean
}

/**
 * From the last layer's hidden states to the loss and back.
 *
 * Inputs: `hidden` [M, hidden], `targets` i64 [M], the inputs of the loss, and the head's weights.
 * Outputs: `loss` [], `dhidden` [M, hidden], and the gradients of the head's trained tensors.
 */
export function headModel(config: DecoderConfig, loss: LossKind, options: HeadModelOptions): OnnxModel {
  const { graph, hidden, logprobs, weights } = headLogprobs(config, options)
  const value = lossOf(loss, logprobs, lossInputs(graph, loss))
  const trained = [...weights].filter(([name]) => options.trained(name))
  const [dhidden, ...parts] = gradients(value, [hidden, ...trained.map(([, weight]) => weight)])
  const outputs: Record<string, Value> = { loss: value, dhidden: dhidden as Value }
  for (const [i, [name]] of trained.entries()) outputs[gradientName(name)] = parts[i] as Value
  return encodeModel(outputs)
}

/** The same without a loss: output `logprobs` [M]. */
export function headScoringModel(config: DecoderConfig, options: Omit<HeadModelOptions, 'trained'> = {}): OnnxModel {
  return encodeModel({ logprobs: headLogprobs(config, options, false).logprobs })
}

function headLogprobs(config: DecoderConfig, options: Omit<HeadModelOptions, 'trained'>, hasGradient = true) {
  const { real, temperature = 1, precision } = options
  const graph = new Graph(real)
  const hidden = graph.input('hidden', graph.real, ['M', config.hiddenSize])
  const targets = graph.input('targets', 'i64', ['M'])
  const weights = new Map<string, Value>()
  if (precision !== 'int8') {
    for (const [name, shape] of decoderWeightShapes(config))
      if (isHeadWeight(config, name)) weights.set(name, graph.input(name, graph.real, shape))
    const logprobs = decoderTokenLogProb(config, denseParts(weights), hidden, targets, temperature)
    return { graph, hidden, weights, logprobs }
  }
  const norm = graph.input(NORM, graph.real, [config.hiddenSize])
  for (const [name, { dtype, shape }] of outputLayerShapes(config))
    if (hasGradient || isForward(name)) weights.set(name, graph.input(name, dtype, shape))
  const logprobs = integerLogprobs(config, weights, rmsNorm(hidden, norm, config.rmsNormEps), targets, temperature)
  return { graph, hidden, weights, logprobs }
}

/** Whether a tensor of the output layer in 8-bit integers is used forwards. */
const isForward = (name: string) => /\.(columns|scale)\.\d+$/.test(name)

const NORM = 'model.norm.weight'

/** Whether a weight is used after the last layer. */
function isHeadWeight(config: DecoderConfig, name: string): boolean {
  const output = config.tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'
  return name === NORM || name === output
}
