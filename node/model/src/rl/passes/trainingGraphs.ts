import type { Device } from '#engine/devices/device.ts'
import { GraphError } from '#engine/engineError.ts'
import { gradients } from '#engine/gradients.ts'
import type { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import {
  add,
  addScalar,
  clip,
  exp,
  gather,
  matMul,
  min,
  mul,
  neg,
  reshape,
  scale,
  sub,
  sumOver,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { LoraConfig } from '#model/lora/loraConfig.ts'
import { tokenScores } from '#model/scoring/tokenScores.ts'

/** Name of a weight's gradient in a training graph. */
export const gradientName = (weight: string) => `gradient.${weight}`

export type LossKind = { readonly kind: 'crossEntropy' } | ({ readonly kind: 'policy' } & PolicyLossOptions)

/** The loss of a step's options, without other fields: it is a key of sessions. */
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
  /** Whether a tensor is trained; all are by default. */
  readonly trained?: (name: string) => boolean
  /** Device that it is encoded for; the CPU. */
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

/** Inputs of a loss other than the log-probabilities, by the names of the graph's inputs. */
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

/** Weighted negative log-likelihood: the sum over M of -weights * logprobs. Both are [M]; the result is a scalar. */
function crossEntropyLoss(logprobs: Value, weights: Value): Value {
  return neg(sumOver(mul(logprobs, weights)))
}

export interface PolicyLossInputs {
  /** [M] of each completion token under the policy that is trained. */
  readonly logprobs: Value
  /** [M] of the same tokens under the policy before the update. */
  readonly oldLogprobs: Value
  /** [M]: the advantage of the token's completion, times its importance weight (see `importanceWeights`). */
  readonly advantages: Value
  /** [M]: each token's share of the loss (see `tokenWeights`). */
  readonly weights: Value
  /** [M] under a fixed reference policy, for the KL penalty. */
  readonly referenceLogprobs?: Value
  /** [S, M]: row s takes the mean over the tokens of completion s. For ratios of sequences. */
  readonly sequenceMeans?: Value
  /** i64 [M]: the completion of each token. For ratios of sequences. */
  readonly sequences?: Value
}

export interface PolicyLossOptions {
  /** The ratio's lower bound is 1 - clipLow; 0.2 for tokens (PPO, arXiv:1707.06347 section 3), 3e-4 for sequences. */
  readonly clipLow: number
  /** The ratio's upper bound is 1 + clipHigh; 0.28, wider so that unlikely tokens can grow (arXiv:2503.14476 section 3.1). */
  readonly clipHigh: number
  /**
   * Upper bound of the ratio, applied first, also for tokens of negative advantage, which `clipHigh` does not bound; above 1 + clipHigh, by TRL's
   * name (two-sided GRPO, INTELLECT-2, arXiv:2505.07291 section 3.4). No bound by default.
   */
  readonly delta?: number
  /** Weight of the KL penalty; 0 for none. */
  readonly klBeta: number
  /**
   * Level of the ratio: each token, the default, or each completion, by the geometric mean of its tokens' ratios (GSPO,
   * arXiv:2507.18071 section 4).
   */
  readonly importanceSamplingLevel?: 'token' | 'sequence'
  /**
   * Weight the KL estimate by the ratio, so that it stays unbiased once the policy has moved from the one that sampled; true,
   * as in TRL (DeepSeek-V3.2, arXiv:2512.02556 section 3.1).
   */
  readonly useBiasCorrectionKl?: boolean
}

/** From 88.8 on a ratio is infinite in float32, and its gradient NaN, also where the loss clips it. */
const MOST_LOG_RATIO = 80

/**
 * Clipped policy-gradient loss, summed over tokens by their weights:
 * -min(ratio A, clip(ratio, 1 - clipLow, 1 + clipHigh) A) + klBeta ratio (r - log r - 1), where ratio = exp(logprob - old)
 * and log r = reference - logprob. With `delta` the ratio is at most that. A ratio above e^80 counts as e^80 and has no gradient.
 *
 * GRPO, Dr. GRPO, DAPO and GSPO are this one loss: they differ in the weights, the advantages and the level of the ratio.
 *
 * @throws {GraphError} if ratios of sequences are requested without the sequences.
 * @see GRPO, arXiv:2402.03300 equation 3; the KL estimator, equation 4 there.
 */
export function policyLoss(inputs: PolicyLossInputs, options: PolicyLossOptions): Value {
  const { advantages, weights, logprobs, referenceLogprobs } = inputs
  const free = exp(clip(logRatio(inputs, options), Number.NEGATIVE_INFINITY, MOST_LOG_RATIO))
  const ratio = options.delta === undefined ? free : clip(free, 0, options.delta)
  const clipped = clip(ratio, 1 - options.clipLow, 1 + options.clipHigh)
  let loss = neg(min(mul(ratio, advantages), mul(clipped, advantages)))
  if (referenceLogprobs && options.klBeta > 0) {
    const difference = sub(referenceLogprobs, logprobs)
    const kl = addScalar(sub(exp(difference), difference), -1)
    loss = add(loss, scale(options.useBiasCorrectionKl === false ? kl : mul(kl, ratio), options.klBeta))
  }
  return sumOver(mul(loss, weights))
}

/** [M]: logprob - old of each token, or its mean over the token's completion. */
function logRatio(inputs: PolicyLossInputs, { importanceSamplingLevel = 'token' }: PolicyLossOptions): Value {
  const { logprobs, oldLogprobs, sequenceMeans, sequences } = inputs
  const byToken = sub(logprobs, oldLogprobs)
  if (importanceSamplingLevel === 'token') return byToken
  if (!sequenceMeans || !sequences) throw new GraphError('ratios of sequences need the sequences')
  const means = matMul(sequenceMeans, reshape(byToken, ['M', 1])) // [S, 1]
  return reshape(gather(means, sequences, 0), ['M'])
}
