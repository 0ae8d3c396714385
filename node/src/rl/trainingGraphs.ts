import { gradients } from '#engine/gradients.ts'
import type { Value } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import { tokenScores } from '#model/tokenScores.ts'
import { crossEntropyLoss, type PolicyLossOptions, policyLoss } from './policyLoss.ts'

/** What a training graph calls the gradient of a weight. */
export const gradientName = (weight: string) => `gradient.${weight}`

export type LossKind = { readonly kind: 'crossEntropy' } | ({ readonly kind: 'policy' } & PolicyLossOptions)

/**
 * Loss and gradients of all weights as one graph. Beside the inputs of `tokenScores` it takes `weights` [M], and for
 * the policy loss `advantages` and `oldLogprobs` [M], and `referenceLogprobs` [M] where klBeta > 0.
 *
 * Outputs: `loss` [] and one gradient for each weight.
 */
export function lossModel(
  config: DecoderConfig,
  loss: LossKind,
  options: { readonly real?: 'f32' | 'f64'; readonly temperature?: number } = {},
): OnnxModel {
  const { graph, weights, logprobs } = tokenScores(config, options.real, options.temperature)
  const perToken = (name: string) => graph.input(name, graph.real, ['M'])
  const value = lossOf(loss, logprobs, perToken)
  const names = [...weights.keys()]
  const outputs: Record<string, Value> = { loss: value }
  const parts = gradients(value, [...weights.values()])
  for (const [i, name] of names.entries()) outputs[gradientName(name)] = parts[i] as Value
  return encodeModel(outputs)
}

function lossOf(loss: LossKind, logprobs: Value, perToken: (name: string) => Value): Value {
  if (loss.kind === 'crossEntropy') return crossEntropyLoss(logprobs, perToken('weights'))
  const inputs = {
    logprobs,
    weights: perToken('weights'),
    advantages: perToken('advantages'),
    oldLogprobs: perToken('oldLogprobs'),
  }
  if (loss.klBeta === 0) return policyLoss(inputs, loss)
  return policyLoss({ ...inputs, referenceLogprobs: perToken('referenceLogprobs') }, loss)
}
