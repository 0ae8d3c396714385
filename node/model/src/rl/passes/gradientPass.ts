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
import type { LossTarget } from '../policy/policyBatch.ts'
import { lossFeeds } from './lossFeeds.ts'
import { withOwnLogprobs } from './ownLogprobs.ts'
import { gradientName, type LossKind, lossModel } from './trainingGraphs.ts'

/** Sums of gradients by the name of what is trained: in this process's memory, or `DeviceTensor`s. */
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
  /** [M]: log-probabilities of the part's scored tokens under what is trained, or under the weights without the adapter. */
  logprobs(of: ScoredPolicy, part: readonly ScoredSequence[]): Promise<Float32Array>
  /** @param isFailed - what it gave is of no use, and its memory is given back at once. */
  dispose(isFailed?: boolean): Promise<void>
}

/**
 * Padded tokens of a part at least. Products with matrices that change are cut among threads by columns where they have fewer rows than
 * columns, and columns fewer than 64 a thread are summed in blocks of another depth: the bits would depend on the threads, up to four of them.
 */
export const LEAST_TOKENS = 256

/**
 * Tokens of a part at most that layers take at once, padding included and a shared prompt counted once, but for a single longer sequence. The parts of a step follow from its batch and the model, and not from
 * the memory there is, since sums of gradients have other bits in another order; see `stepPlan` for where that cannot be kept.
 *
 * Layers 896 wide are a sixth slower at 384 than at 1536; narrow ones gain by more yet. 1280 holds four completions of 256 tokens with
 * their prompt.
 */
export function partTokensOf({ hiddenSize }: Pick<DecoderConfig, 'hiddenSize'>): number {
  return Math.max(1280, Math.min(2048, Math.floor(2 ** 18 / hiddenSize)))
}

export interface GradientPassOptions {
  readonly threads: number
  /** What runs it; the CPU. */
  readonly device?: Device | undefined
  readonly temperature: number
  /** With an adapter its factors are trained and the weights are not. */
  readonly adapter: LoraAdapter | undefined
  /** Which tensors are trained. */
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
  const sessionFor = (key: string, build: () => OnnxModel) => {
    let session = sessions.get(key)
    if (!session) {
      session = createSession(build(), { threads, sumsInProducts: false })
      sessions.set(key, session)
    }
    return session
  }
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
