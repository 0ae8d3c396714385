import { createSession, type Session, type Tensor, tensor } from '#engine/session.ts'
import { decoderFeeds, lengthBatches, type ScoredSequence } from '#model/batch.ts'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import type { Weights } from '#model/weights.ts'
import { type AdamWOptions, createAdamW } from './adamW.ts'
import { clipGradients } from './gradientClip.ts'
import { createMuon, type MuonOptions } from './muon.ts'
import type { Optimizer, OptimizerState } from './optimizer.ts'
import type { PolicyLossOptions } from './policyLoss.ts'
import { TrainerError } from './trainerError.ts'
import { gradientName, type LossKind, lossModel } from './trainingGraphs.ts'

/** A sequence to learn, with a weight for each scored token. */
export interface TrainingSequence extends ScoredSequence {
  /** [scored.length]; the loss is the weighted mean over the batch. */
  readonly weights: Float32Array
}

/** A completion to learn from its advantage. */
export interface PolicySequence extends ScoredSequence {
  /** [scored.length] under the policy that generated it. */
  readonly oldLogprobs: Float32Array
  readonly advantage: number
  /** [scored.length] under the reference policy; needed when klBeta > 0. */
  readonly referenceLogprobs?: Float32Array
}

export interface StepReport {
  readonly loss: number
  /** Euclidean norm of all gradients, before clipping. */
  readonly gradientNorm: number
  /** Tokens fed, padding left out. */
  readonly tokens: number
}

export interface TrainerOptions {
  readonly threads?: number
  readonly optimizer?: ({ readonly kind: 'adamW' } & AdamWOptions) | ({ readonly kind: 'muon' } & MuonOptions)
  /** Limit of the gradients' norm; 1. */
  readonly clipNorm?: number
  /** Sampling temperature of the policy; 1. */
  readonly temperature?: number
  /**
   * Padded tokens at once: bounds memory. A larger batch is split, and its gradients are summed. 2048: a step of a million
   * parameters then takes 130 MB in place of 440 with 8192, and is a third faster, since its activations stay in the cache.
   */
  readonly maxTokens?: number
}

export interface PolicyStepOptions extends PolicyLossOptions {
  readonly learningRate: number
}

/** Trains all weights in place, so that a generator over the same arrays sees every step. */
export interface Trainer {
  readonly weights: Weights
  crossEntropyStep(batch: readonly TrainingSequence[], learningRate: number): Promise<StepReport>
  policyStep(batch: readonly PolicySequence[], options: PolicyStepOptions): Promise<StepReport>
  state(): OptimizerState
  load(state: OptimizerState): void
  dispose(): Promise<void>
}

/**
 * A trainer of all weights of a decoder.
 *
 * Every step is deterministic: the same weights, state and batch give the same bits, whatever the number of threads.
 * Sessions are built when first needed; weights are graph inputs, read in place, so a step rebuilds nothing.
 *
 * @param weights - changed in place by every step.
 */
export async function createTrainer(
  config: DecoderConfig,
  weights: Weights,
  options: TrainerOptions = {},
): Promise<Trainer> {
  const optimizer = await createOptimizer(weights, options)
  const sessions = new Map<string, Promise<Session>>()
  const sessionFor = (loss: LossKind) => {
    const key = JSON.stringify(loss)
    let session = sessions.get(key)
    if (!session) {
      session = createSession(lossModel(config, loss, options), { threads: options.threads ?? 2 })
      sessions.set(key, session)
    }
    return session
  }
  const weightFeeds: Record<string, Tensor> = {}
  for (const [name, { shape, data }] of weights) weightFeeds[name] = tensor('f32', data, shape)

  /** Runs a session over a batch in parts of similar length. */
  async function runParts<S extends ScoredSequence>(
    session: Session,
    batch: readonly S[],
    extraFeeds: (part: readonly S[]) => Record<string, Float32Array>,
    receive: (outputs: Record<string, Tensor>) => void,
  ): Promise<void> {
    const lengths = batch.map(s => s.tokens.length)
    for (const indices of lengthBatches(lengths, options.maxTokens ?? 2048)) {
      const part = indices.map(i => batch[i] as S)
      const { feeds, scored } = decoderFeeds(config, part)
      for (const [name, data] of Object.entries(extraFeeds(part))) feeds[name] = tensor('f32', data, [scored])
      receive(await session.run({ ...weightFeeds, ...feeds }))
    }
  }

  async function step<S extends ScoredSequence>(
    loss: LossKind,
    batch: readonly S[],
    extraFeeds: (part: readonly S[]) => Record<string, Float32Array>,
    learningRate: number,
  ): Promise<StepReport> {
    const session = await sessionFor(loss)
    const sums = new Map<string, Float32Array>()
    let total = 0
    await runParts(session, batch, extraFeeds, outputs => {
      total += (outputs.loss as Tensor<'f32'>).data[0] as number
      for (const name of weights.keys()) addTo(sums, name, (outputs[gradientName(name)] as Tensor<'f32'>).data)
    })
    const gradientNorm = clipGradients(sums, options.clipNorm ?? 1)
    // Checked before the weights change, so that a bad batch cannot ruin them.
    if (!Number.isFinite(total) || !Number.isFinite(gradientNorm)) {
      throw new TrainerError(`the loss is ${total}, the gradient's norm ${gradientNorm}`, {
        hint: 'Lower the learning rate, or go back to the last saved weights.',
      })
    }
    await optimizer.step(sums, learningRate)
    return { loss: total, gradientNorm, tokens: batch.reduce((n, s) => n + s.tokens.length - 1, 0) }
  }

  return {
    weights,
    crossEntropyStep(batch, learningRate) {
      const total = batch.reduce((sum, s) => sum + s.weights.reduce((a, b) => a + b, 0), 0)
      const feeds = (part: readonly TrainingSequence[]) => ({
        weights: joined(part, s => s.weights.map(w => w / total)),
      })
      return step({ kind: 'crossEntropy' }, batch, feeds, learningRate)
    },
    policyStep(batch, { learningRate, clipLow, clipHigh, klBeta }) {
      const count = batch.reduce((sum, s) => sum + s.scored.length, 0)
      const feeds = (part: readonly PolicySequence[]) => ({
        weights: joined(part, s => new Float32Array(s.scored.length).fill(1 / count)),
        advantages: joined(part, s => new Float32Array(s.scored.length).fill(s.advantage)),
        oldLogprobs: joined(part, s => s.oldLogprobs),
        ...(klBeta > 0 ? { referenceLogprobs: joined(part, s => reference(s)) } : {}),
      })
      return step({ kind: 'policy', clipLow, clipHigh, klBeta }, batch, feeds, learningRate)
    },
    state: () => optimizer.state(),
    load: state => optimizer.load(state),
    async dispose() {
      await optimizer.dispose()
      for (const session of sessions.values()) await (await session).dispose()
      sessions.clear()
    },
  }
}

async function createOptimizer(weights: Weights, options: TrainerOptions): Promise<Optimizer> {
  const chosen = options.optimizer ?? { kind: 'adamW' }
  if (chosen.kind === 'adamW') return createAdamW(weights, chosen)
  return createMuon(weights, { threads: options.threads ?? 2, ...chosen })
}

function addTo(sums: Map<string, Float32Array>, name: string, part: Float32Array): void {
  const sum = sums.get(name)
  if (!sum) {
    sums.set(name, part)
    return
  }
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (part[i] as number)
}

/** One array of what each sequence has for its scored tokens. */
function joined<S extends ScoredSequence>(part: readonly S[], of: (sequence: S) => Float32Array): Float32Array {
  const all = new Float32Array(part.reduce((n, s) => n + s.scored.length, 0))
  let at = 0
  for (const sequence of part) {
    const values = of(sequence)
    if (values.length !== sequence.scored.length) {
      throw new TrainerError(`${values.length} values for ${sequence.scored.length} scored tokens`, {
        hint: 'Give one weight or log-probability for each scored token.',
      })
    }
    all.set(values, at)
    at += values.length
  }
  return all
}

function reference(sequence: PolicySequence): Float32Array {
  if (sequence.referenceLogprobs) return sequence.referenceLogprobs
  throw new TrainerError('a KL penalty needs the log-probabilities of a reference policy', {
    hint: 'Set klBeta to 0, or give referenceLogprobs with every sequence.',
  })
}
