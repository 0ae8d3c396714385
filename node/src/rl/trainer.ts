import type { Device } from '#engine/devices/device.ts'
import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import type { BasePrecision } from '#model/lora/loraConfig.ts'
import type { LoraAdapter } from '#model/lora/loraFactors.ts'
import { type AdamWOptions, createAdamW } from './optimizers/adamW.ts'
import { clipGradients } from './optimizers/gradientClip.ts'
import { type LearningRate, learningRateAt } from './optimizers/learningRate.ts'
import { createMuon, type MuonOptions } from './optimizers/muon.ts'
import type { Optimizer, OptimizerState } from './optimizers/optimizer.ts'
import { createBatchPasses } from './passes/batchPasses.ts'
import { createChosenPasses } from './passes/chosenPasses.ts'
import { createMonolithicPass } from './passes/gradientPass.ts'
import { createPlannedPasses, plannable, stepShape } from './passes/plannedPasses.ts'
import { trainedElements, wholeGraphBytes } from './passes/stepPlan.ts'
import { type LossKind, policyLossKind } from './passes/trainingGraphs.ts'
import {
  checkedTarget,
  type LossTarget,
  type PolicyBatchOptions,
  type PolicySequence,
  policyTargets,
} from './policy/policyBatch.ts'
import {
  checkLearningRate,
  checkOptions,
  policyStepSchema,
  sequencesSchema,
  stateSchema,
  trainerSchema,
  weightedSequencesSchema,
} from './stepOptions.ts'
import { TrainerError } from './trainerError.ts'

/** A sequence to learn, with a weight for each scored token. */
export interface TrainingSequence extends ScoredSequence {
  /** [scored.length]; the loss is the weighted mean over the batch. */
  readonly weights: Float32Array
}

export interface StepReport {
  readonly loss: number
  /** Euclidean norm of all gradients, before clipping. */
  readonly gradientNorm: number
  /** Tokens fed, padding left out. */
  readonly tokens: number
  readonly learningRate: number
}

export interface TrainerOptions {
  readonly threads?: number
  /** What computes losses and gradients, `cpu` by default; the optimizer's update is on the CPU. On a GPU a step is not the CPU's bit for bit. */
  readonly device?: Device
  readonly optimizer?: ({ readonly kind: 'adamW' } & AdamWOptions) | ({ readonly kind: 'muon' } & MuonOptions)
  /** Limit of the gradients' joint norm; 1 (arXiv:1211.5063 section 3.2). */
  readonly clipNorm?: number
  /** Sampling temperature of the policy; 1. */
  readonly temperature?: number
  /**
   * Top-p that the policy is sampled with, 0.99 at least; 1. Ratios are of the whole policy to the nucleus that was drawn from, which is off by
   * what top-p leaves out, and gradients are those of the whole policy.
   */
  readonly topP?: number
  /**
   * Padded tokens at once, in one graph. A larger batch is split, and its gradients are summed, so that the bits of a step
   * depend on it. 2048: a step of a million parameters then takes 130 MB instead of 440 with 8192, and is a third faster, since its
   * activations stay in the cache.
   */
  readonly maxTokens?: number
  /** An adapter to train instead of the weights. */
  readonly adapter?: LoraAdapter
  /** Which weights are trained, without an adapter: `all`, or those of the `layers` and the last norm, not the tables. */
  readonly parameters?: 'all' | 'layers'
  /**
   * Run layer by layer, as models do whose intermediate values are too large to hold at once, see `stepPlan`; or in one graph, which
   * is the fastest for small ones. By default what the estimate of a step's memory says. In wide models the two differ in the last
   * bits.
   */
  readonly layered?: boolean
  /**
   * How a layered trainer computes products with the frozen base of an adapter: in `float32`, the default, or in `int8`, as sums
   * of integers forwards and for the gradients of activations, with a scale for each row and column (LLM.int8(), arXiv:2208.07339); its
   * weights are rounded when the trainer is made.
   */
  readonly precision?: BasePrecision
  /** Bytes that a step may use in addition to what it holds already; four fifths of what the machine has free by default. */
  readonly memoryBytes?: number
}

export interface PolicyStepOptions extends PolicyBatchOptions {
  readonly learningRate: LearningRate
}

/** Trains in place, so that a generator over the same arrays sees every step. */
export interface Trainer {
  readonly weights: Weights
  /** How the policy that is trained is sampled. */
  readonly temperature: number
  readonly topP: number
  /** Updates taken, those before a loaded state included: what a schedule of the learning rate goes by. */
  readonly steps: number
  crossEntropyStep(batch: readonly TrainingSequence[], learningRate: LearningRate): Promise<StepReport>
  policyStep(batch: readonly PolicySequence[], options: PolicyStepOptions): Promise<StepReport>
  /** [scored.length] for each sequence: log-probabilities under what is trained, at the trainer's temperature, as a step computes them. */
  logprobs(batch: readonly ScoredSequence[]): Promise<Float32Array[]>
  /** Copies what is trained and the optimizer's state. Calling the result puts them back, bit for bit. */
  snapshot(): () => void
  state(): OptimizerState
  load(state: OptimizerState): void
  dispose(): Promise<void>
}

/**
 * A trainer of the weights of a decoder, or of an adapter's factors over frozen weights.
 *
 * Memory is estimated before a step. Where the estimate was wrong and an allocation fails, the step starts again with less of it;
 * nothing has changed by then. Later steps keep to that.
 *
 * Every step is deterministic: the same weights, state and batch give bitwise identical results, whatever the number of threads and the memory,
 * unless that is so short that one graph has to be left for layers, or parts have to be smaller (see `stepPlan`), or layers after a
 * shared prompt have to be computed twice.
 *
 * @param weights - changed in place by every step, unless an adapter is trained; then its factors are.
 * @throws {TrainerError} naming an option that makes no sense; a step throws it too, before any weight changes.
 */
export async function createTrainer(
  config: DecoderConfig,
  weights: Weights,
  options: TrainerOptions = {},
): Promise<Trainer> {
  checkOptions(trainerSchema, options)
  const { adapter, precision = 'float32' } = options
  if (precision === 'int8' && (!adapter || options.layered === false)) throw refusePrecision()
  const parameters = trainedTensors(weights, options)
  const optimizer = await createOptimizer(parameters, options)
  const passes = createBatchPasses(openPasses(config, weights, parameters, options))
  let isDisposed = false

  /** Gives sequences the log-probabilities of the base model, which is the reference of an adapter. */
  async function withReference(loss: LossKind, batch: readonly PolicySequence[]): Promise<PolicySequence[]> {
    const logprobs = await passes.logprobs('base', loss, batch)
    return batch.map((sequence, i) => ({ ...sequence, referenceLogprobs: logprobs[i] as Float32Array }))
  }

  async function step(loss: LossKind, targets: readonly LossTarget[], rate: LearningRate): Promise<StepReport> {
    if (isDisposed) throw disposed()
    checkLearningRate(rate)
    return takeStep(passes, optimizer, { loss, targets, rate, clipNorm: options.clipNorm ?? 1 })
  }

  return {
    weights,
    temperature: options.temperature ?? 1,
    topP: options.topP ?? 1,
    get steps() {
      return optimizer.steps
    },
    async crossEntropyStep(batch, learningRate) {
      checkOptions(weightedSequencesSchema, batch, 'batch')
      const total = batch.reduce((sum, s) => sum + s.weights.reduce((a, b) => a + b, 0), 0)
      const targets = batch.map(({ tokens, scored, weights }) =>
        checkedTarget({ tokens, scored, perToken: { weights: weights.map(w => w / total) } }),
      )
      return step({ kind: 'crossEntropy' }, targets, learningRate)
    },
    async policyStep(batch, { learningRate, ...batchOptions }) {
      checkOptions(policyStepSchema, batchOptions)
      checkOptions(sequencesSchema, batch, 'batch')
      if (isDisposed) throw disposed()
      const loss = policyLossKind(batchOptions)
      const needsReference = adapter && batchOptions.klBeta > 0 && batch.some(sequence => !sequence.referenceLogprobs)
      const targets = policyTargets(needsReference ? await withReference(loss, batch) : batch, batchOptions)
      if (targets.length === 0) return { loss: 0, gradientNorm: 0, tokens: 0, learningRate: 0 }
      return step(loss, targets, learningRate)
    },
    async logprobs(batch) {
      checkOptions(sequencesSchema, batch, 'batch')
      if (isDisposed) throw disposed()
      return passes.logprobs('trained', SCORING, batch)
    },
    snapshot() {
      const kept = [...parameters.values()].map(({ data }) => data.slice())
      const state = optimizer.state()
      return () => {
        for (const [i, { data }] of [...parameters.values()].entries()) data.set(kept[i] as Float32Array)
        optimizer.load(state)
      }
    },
    state: () => optimizer.state(),
    load(state) {
      checkOptions(stateSchema, state, 'state')
      optimizer.load(state)
    },
    async dispose() {
      if (isDisposed) return
      isDisposed = true
      await optimizer.dispose()
      await passes.dispose()
    },
  }
}

type Step = { loss: LossKind; targets: readonly LossTarget[]; rate: LearningRate; clipNorm: number }

/** Gradients, then the optimizer's step. @throws {TrainerError} for a loss that is not finite, before the weights change. */
async function takeStep(
  passes: ReturnType<typeof createBatchPasses>,
  optimizer: Optimizer,
  { loss, targets, rate, clipNorm }: Step,
): Promise<StepReport> {
  const learningRate = learningRateAt(optimizer.steps, rate)
  const { sums, total } = await passes.gradients(loss, targets)
  const gradientNorm = clipGradients(sums, clipNorm)
  // Checked before the weights change, so that a bad batch cannot ruin them.
  if (!Number.isFinite(total) || !Number.isFinite(gradientNorm)) {
    throw new TrainerError(`the loss is ${total}, the gradient's norm ${gradientNorm}`, {
      hint: 'Lower the learning rate, or go back to the last saved weights.',
    })
  }
  await optimizer.step(sums, learningRate)
  const tokens = targets.reduce((n, s) => n + s.tokens.length - 1, 0)
  return { loss: total, gradientNorm, tokens, learningRate }
}

function trainedTensors(weights: Weights, { adapter, parameters = 'all' }: TrainerOptions): Weights {
  if (adapter) return adapter.factors
  if (parameters === 'all') return weights
  return new Map([...weights].filter(([name]) => name.startsWith('model.layers.') || name === 'model.norm.weight'))
}

async function createOptimizer(parameters: Weights, options: TrainerOptions): Promise<Optimizer> {
  const chosen = options.optimizer ?? { kind: 'adamW' }
  if (chosen.kind === 'adamW') return createAdamW(parameters, chosen)
  return createMuon(parameters, { threads: options.threads ?? 2, ...chosen })
}

/** What a pass without a loss is planned as: the least that a policy's loss takes. */
const SCORING = policyLossKind({ clipLow: 0.2, clipHigh: 0.28, klBeta: 0 })

const disposed = () => new TrainerError('the trainer was disposed of', { hint: 'Make another of the same weights.' })

const refusePrecision = () =>
  new TrainerError('precision int8 needs an adapter that is trained layer by layer', {
    hint: "Give an adapter and leave layered out, or leave precision at 'float32'.",
  })

/** How gradients are computed: as the options say, else as the estimate of a step does. */
function openPasses(config: DecoderConfig, weights: Weights, parameters: Weights, options: TrainerOptions) {
  const { adapter, device, threads = 2, temperature = 1, precision = 'float32', maxTokens = 2048 } = options
  const passOptions = { threads, device, temperature, adapter, trained: (name: string) => parameters.has(name) }
  const { memoryBytes } = options
  const layered = () => createPlannedPasses(config, weights, { ...passOptions, memoryBytes, precision })
  if (options.layered ?? precision === 'int8') return layered()
  const elements = trainedElements(config, parameters)
  return createChosenPasses({
    memoryBytes: held => (options.layered === false ? Number.POSITIVE_INFINITY : (memoryBytes ?? plannable(held))),
    maxTokens,
    whole: () => createMonolithicPass(config, weights, passOptions),
    layered,
    estimate: (loss, batch) =>
      options.layered === false ? 0 : wholeGraphBytes(config, stepShape(loss, batch, elements), maxTokens),
  })
}
