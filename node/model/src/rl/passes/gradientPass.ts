import { once } from '#base/once.ts'
import type { Device } from '#engine/devices/device.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import { createSession, type Session, type Tensor, tensor } from '#engine/session.ts'
import { decoderFeeds, type ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import type { Tensor as WeightTensor } from '#model/files/safetensors.ts'
import type { LoraConfig } from '#model/lora/loraConfig.ts'
import type { LoraAdapter } from '#model/lora/loraFactors.ts'
import { tokenScores } from '#model/scoring/tokenScores.ts'
import { lossFeeds } from './lossFeeds.ts'
import { withOwnLogprobs } from './ownLogprobs.ts'
import type { LossTarget } from './policyBatch.ts'
import { gradientName, type LossKind, lossModel } from './trainingGraphs.ts'

/** Sums of gradients by the name of the trained tensor: in this process's memory, or `DeviceTensor`s. */
export type GradientSums<G = Float32Array> = Map<string, G>

/** The policy as it is trained, or the frozen weights under its adapter. */
export type ScoredPolicy = 'trained' | 'base'

/** Loss and gradients of a part of a batch. */
export interface GradientPass<G = Float32Array> {
  /**
   * Adds the part's gradients to the sums, which start empty.
   *
   * @returns the part's loss.
   */
  run(loss: LossKind, part: readonly LossTarget[], sums: GradientSums<G>): Promise<number>
  /** [M]: log-probabilities of the part's scored tokens under the trained policy, or under the weights without the adapter. */
  logprobs(of: ScoredPolicy, part: readonly ScoredSequence[]): Promise<Float32Array>
  /** @param isFailed - the results are not used, and the memory is freed at once. */
  dispose(isFailed?: boolean): Promise<void>
}

/**
 * Minimum of padded tokens of a part. With fewer rows than columns, products with changing matrices are divided among threads by columns, and
 * fewer than 64 columns per thread are summed in blocks of another depth: the bits would depend on the number of threads, up to four.
 */
export const LEAST_TOKENS = 256

/**
 * Maximum of tokens that layers process at once, including padding, with a shared prompt counted once; a single longer sequence may exceed it. The
 * parts of a step follow from its batch and the model, not from the free memory, since sums of gradients have other bits in another order;
 * `stepPlan` has the exceptions.
 *
 * Layers of width 896 are a sixth slower at 384 than at 1536; narrow ones gain even more. 1280 tokens hold four completions of 256 tokens and
 * their prompt.
 */
export function partTokensOf({ hiddenSize }: Pick<DecoderConfig, 'hiddenSize'>): number {
  return Math.max(1280, Math.min(2048, Math.floor(2 ** 18 / hiddenSize)))
}

export interface GradientPassOptions {
  readonly threads: number
  /** Device that runs it; the CPU. */
  readonly device?: Device | undefined
  readonly temperature: number
  /** With an adapter its factors are trained and the weights are not. */
  readonly adapter: LoraAdapter | undefined
  /** Whether a tensor is trained. */
  readonly trained: (name: string) => boolean
}

/**
 * A pass through one graph of the whole decoder, with all its intermediate values: the fastest for small models.
 *
 * Sessions are built when first needed; weights are graph inputs, read in place, so that a step rebuilds nothing.
 */
export function createMonolithicPass(
  config: DecoderConfig,
  weights: Weights,
  { threads, device, temperature, adapter, trained }: GradientPassOptions,
): GradientPass {
  const sessions = new Map<string, Promise<Session>>()
  const sessionFor = (key: string, build: () => OnnxModel) =>
    once(sessions, key, () => createSession(build(), { threads, sumsInProducts: false }))
  const lossSession = (loss: LossKind) =>
    sessionFor(JSON.stringify(loss), () =>
      lossModel(config, loss, { temperature, lora: adapter?.config, trained, device }),
    )
  const scoringSession = (lora: LoraConfig | undefined) =>
    sessionFor(lora ? 'trained' : 'base', () =>
      encodeModel({ logprobs: tokenScores(config, 'f32', temperature, lora).logprobs }, [], device),
    )
  const tensors = [...weights, ...(adapter?.factors ?? [])]
  const feedsOf = (all: Weights | [string, WeightTensor][]) =>
    Object.fromEntries([...all].map(([name, { shape, data }]) => [name, tensor('f32', data, shape)]))
  const weightFeeds = feedsOf(tensors)
  const names = tensors.map(([name]) => name).filter(trained)
  async function logprobs(of: ScoredPolicy, part: readonly ScoredSequence[]): Promise<Float32Array> {
    const { feeds } = decoderFeeds(config, part, 'f32', LEAST_TOKENS)
    const adapted = of === 'trained' && adapter !== undefined
    const session = await scoringSession(adapted ? adapter.config : undefined)
    const outputs = await session.run({ ...(adapted ? weightFeeds : feedsOf(weights)), ...feeds })
    return (outputs.logprobs as Tensor<'f32'>).data
  }
  return {
    logprobs,
    async run(loss, part, sums) {
      const session = await lossSession(loss)
      const { feeds } = decoderFeeds(config, part, 'f32', LEAST_TOKENS)
      const given = await withOwnLogprobs(part, () => logprobs('trained', part))
      const outputs = await session.run({ ...weightFeeds, ...feeds, ...lossFeeds(loss, given) })
      for (const name of names) addTo(sums, name, (outputs[gradientName(name)] as Tensor<'f32'>).data)
      return (outputs.loss as Tensor<'f32'>).data[0] as number
    },
    async dispose() {
      for (const session of sessions.values()) await (await session).dispose()
      sessions.clear()
    },
  }
}

/** Adds a gradient to its sum; the first is kept as it is. */
export function addTo(sums: GradientSums, name: string, part: Float32Array): void {
  const sum = sums.get(name)
  if (!sum) {
    sums.set(name, part)
    return
  }
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (part[i] as number)
}
