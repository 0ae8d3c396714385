import { type Device, keepsTensors } from '#engine/devices/device.ts'
import { gradients } from '#engine/gradients.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import { partedTokenLogProb, rmsNorm, tokenLogProb } from '#engine/tensor.ts'
import type { DType, Shape, Value } from '#engine/value.ts'
import { type DecoderConfig, outputWeight } from '#model/decoder/decoderConfig.ts'
import { floatPartShapes, isParted } from '#model/decoder/vocabularyParts.ts'
import type { StepPrecision } from '#model/lora/loraConfig.ts'
import { integerLogprobs, outputLayerShapes } from '#model/quantization/integerOutputLayer.ts'
import { gradientName, type LossKind, lossInputs, lossOf } from '../passes/trainingGraphs.ts'

interface HeadModelOptions {
  readonly real?: 'f32' | 'f64'
  readonly temperature?: number
  /** Precision of the output layer; see `outputLayerShapes`. */
  readonly precision?: StepPrecision
  /** Device that it is encoded for; the CPU. Gradients stay on a device that keeps tensors. */
  readonly device?: Device | undefined
  /** Whether a tensor of the head (the last norm, the output layer) is trained. */
  readonly trained: (name: string) => boolean
}

type HeadOptions = Omit<HeadModelOptions, 'trained'> & Partial<Pick<HeadModelOptions, 'trained'>>

/**
 * From the last layer's hidden states to the loss and back. A frozen output layer over a large vocabulary runs in parts of it.
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
  const { device = 'cpu' } = options
  const staying = Object.keys(outputs).filter(name => name !== 'loss')
  return encodeModel(outputs, [], device, keepsTensors(device) ? staying : [])
}

/** The same without a loss: output `logprobs` [M]. */
export function headScoringModel(config: DecoderConfig, options: HeadOptions = {}): OnnxModel {
  return encodeModel({ logprobs: headLogprobs(config, options, false).logprobs }, [], options.device)
}

/** From `hidden` and `targets` to log-probabilities [M], and the head's weights by the names of its inputs. */
function headLogprobs(config: DecoderConfig, options: HeadOptions, hasGradient = true) {
  const { real, temperature = 1, precision, trained = () => false, device = 'cpu' } = options
  const graph = new Graph(real)
  const hidden = graph.input('hidden', graph.real, ['M', config.hiddenSize])
  const targets = graph.input('targets', 'i64', ['M'])
  const weights = new Map<string, Value>()
  const input = (name: string, shape: Shape, dtype: DType = graph.real): Value => {
    const value = graph.input(name, dtype, shape)
    weights.set(name, value)
    return value
  }
  const normal = rmsNorm(hidden, input(NORM, [config.hiddenSize]), config.rmsNormEps)
  const table = outputWeight(config)
  const whole = () => input(table, [config.vocabSize, config.hiddenSize])
  const logprobs = () => {
    if (precision === 'int8') {
      for (const [name, { dtype, shape }] of outputLayerShapes(config, keepsTensors(device) ? 'u8' : 'i8'))
        if (hasGradient || isForward(name)) input(name, shape, dtype)
      return integerLogprobs(config, weights, normal, targets, temperature)
    }
    if (trained(table) || !isParted(config)) return tokenLogProb(normal, whole(), targets, 1 / temperature)
    const parts = [...floatPartShapes(config)].map(([name, shape]) => input(name, shape))
    return partedTokenLogProb(normal, parts, targets, 1 / temperature, hasGradient ? whole() : undefined)
  }
  return { graph, hidden, weights, logprobs: logprobs() }
}

/** Whether a tensor of the output layer in 8-bit integers is used forwards. */
const isForward = (name: string) => /\.(columns|scale)\.\d+$/.test(name)

const NORM = 'model.norm.weight'
