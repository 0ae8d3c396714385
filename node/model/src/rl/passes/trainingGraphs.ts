import type { Device } from '#engine/devices/device.ts'
import { gradients } from '#engine/gradients.ts'
import type { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { LoraConfig } from '#model/lora/loraConfig.ts'
import { tokenScores } from '#model/scoring/tokenScores.ts'
import { crossEntropyLoss, type PolicyLossInputs, type PolicyLossOptions, policyLoss } from '../policyLoss.ts'

/** What a training graph calls the gradient of a weight. */
export const gradientName = (weight: string) => `gradient.${weight}`

export type LossKind = { readonly kind: 'crossEntropy' } | ({ readonly kind: 'policy' } & PolicyLossOptions)

/** The loss that a step's options ask for, with no other field: it is a key of sessions. */
export function policyLossKind(options: PolicyLossOptions): LossKind {
  const { clipLow, clipHigh, delta, klBeta, importanceSamplingLevel = 'token', useBiasCorrectionKl = true } = options
  const bound = delta === undefined ? {} : { delta }
  return { kind: 'policy', clipLow, clipHigh, ...bound, klBeta, importanceSamplingLevel, useBiasCorrectionKl }
}

interface LossModelOptions {
  readonly real?: 'f32' | 'f64'
  readonly temperature?: number
  /** An adapter, whose factors are inputs in addition to the weights. */
  readonly lora?: LoraConfig | undefined
  /** Which tensors are trained; all by default. */
  readonly trained?: (name: string) => boolean
  /** What it is encoded for; the CPU. */
  readonly device?: Device | undefined
}

/**
 * Loss and gradients of the trained tensors as one graph. It takes the inputs of `tokenScores` and those of `lossInputs`.
 *
 * Outputs: `loss` [] and one gradient for each trained tensor.
 */
export function lossModel(config: DecoderConfig, loss: LossKind, options: LossModelOptions = {}): OnnxModel {
  const { graph, weights, factors, logprobs } = tokenScores(config, options.real, options.temperature, options.lora)
  const value = lossOf(loss, logprobs, lossInputs(graph, loss))
  const trained = [...weights, ...factors].filter(([name]) => options.trained?.(name) ?? true)
  const outputs: Record<string, Value> = { loss: value }
  const parts = gradients(
    value,
    trained.map(([, tensor]) => tensor),
  )
  for (const [i, [name]] of trained.entries()) outputs[gradientName(name)] = parts[i] as Value
  return encodeModel(outputs, [], options.device)
}

/** What a loss needs besides the log-probabilities, by the names of the graph's inputs. */
type LossInputs = Omit<PolicyLossInputs, 'logprobs'> | Pick<PolicyLossInputs, 'weights'>

/**
 * Adds the inputs of a loss: `weights` [M], and for the policy loss `advantages` and `oldLogprobs` [M], `referenceLogprobs` [M]
 * where klBeta > 0, and for ratios of sequences `sequenceMeans` [S, M] and `sequences` i64 [M].
 */
export function lossInputs(graph: Graph, loss: LossKind): LossInputs {
  const perToken = (name: string) => graph.input(name, graph.real, ['M'])
  const weights = perToken('weights')
  if (loss.kind === 'crossEntropy') return { weights }
  const advantages = perToken('advantages')
  const oldLogprobs = perToken('oldLogprobs')
  const reference = loss.klBeta > 0 ? { referenceLogprobs: perToken('referenceLogprobs') } : {}
  const bySequence =
    loss.importanceSamplingLevel === 'sequence'
      ? {
          sequenceMeans: graph.input('sequenceMeans', graph.real, ['S', 'M']),
          sequences: graph.input('sequences', 'i64', ['M']),
        }
      : {}
  return { weights, advantages, oldLogprobs, ...reference, ...bySequence }
}

/** A loss as a scalar. */
export function lossOf(loss: LossKind, logprobs: Value, inputs: LossInputs): Value {
  if (loss.kind === 'crossEntropy') return crossEntropyLoss(logprobs, inputs.weights)
  return policyLoss({ logprobs, ...(inputs as Omit<PolicyLossInputs, 'logprobs'>) }, loss)
}
