import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import type { StepPrecision } from '#model/lora/loraConfig.ts'
import type { Snapshot } from './optimizers/learner.ts'
import type { LearningRate } from './optimizers/learningRate.ts'
import type { OptimizerState } from './optimizers/optimizer.ts'
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
import { openStepping } from './stepping.ts'
import { TrainerError } from './trainerError.ts'
import type { StepReport, TrainerOptions } from './trainerOptions.ts'

/** A sequence to learn, with a weight for each scored token. */
export interface TrainingSequence extends ScoredSequence {
  /** [scored.length]; the loss is the weighted mean over the batch. */
  readonly weights: Float32Array
}

export interface PolicyStepOptions extends PolicyBatchOptions {
  readonly learningRate: LearningRate
}

export interface PolicyStepReport extends StepReport {
  /** [scored.length] for each sequence, before the update: as given, or computed; null for one left out of the loss that came without. */
  readonly oldLogprobs: readonly (Float32Array | null)[]
}

/** Trains in place, so that a generator over the same arrays sees every step, once `readBack` brought it there from a device. */
export interface Trainer {
  readonly weights: Weights
  /** How the policy that is trained is sampled. */
  readonly temperature: number
  readonly topP: number
  /** Updates taken, those before a loaded state included: what a schedule of the learning rate goes by. */
  readonly steps: number
  crossEntropyStep(batch: readonly TrainingSequence[], learningRate: LearningRate): Promise<StepReport>
  policyStep(batch: readonly PolicySequence[], options: PolicyStepOptions): Promise<PolicyStepReport>
  /** [scored.length] for each sequence: log-probabilities under what is trained, at the trainer's temperature, as a step computes them. */
  logprobs(batch: readonly ScoredSequence[]): Promise<Float32Array[]>
  /** What is trained and the optimizer's state, kept to be put back, bit for bit, or let go. */
  snapshot(): Promise<Snapshot>
  state(): Promise<OptimizerState>
  load(state: OptimizerState): void
  /** Brings what is trained into its arrays; nothing to do unless it is `resident`. */
  readBack(): Promise<void>
  /** What is trained, as it is now, where it stays on a device: then steps do not change the arrays, and changes of the arrays are not seen. Null elsewhere. */
  readonly resident: ((name: string) => Promise<DeviceTensor>) | null
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
 * @param weights - changed in place by every step, unless an adapter is trained; then its factors are. See `Trainer.readBack`.
 * @throws {TrainerError} naming an option that makes no sense; a step throws it too, before any weight changes.
 */
export async function createTrainer(
  config: DecoderConfig,
  weights: Weights,
  options: TrainerOptions = {},
): Promise<Trainer> {
  checkOptions(trainerSchema, options)
  const { adapter, precision = 'float32' } = options
  if (precision !== 'float32' && (!adapter || options.layered === false)) throw refusePrecision(precision)
  const parameters = trainedTensors(weights, options)
  const stepping = await openStepping(config, weights, parameters, options)
  const { learner } = stepping
  let isDisposed = false

  /** Gives sequences the log-probabilities of the base model, which is the reference of an adapter. */
  async function withReference(loss: LossKind, batch: readonly PolicySequence[]): Promise<PolicySequence[]> {
    const logprobs = await stepping.logprobs('base', loss, batch)
    return batch.map((sequence, i) => ({ ...sequence, referenceLogprobs: logprobs[i] as Float32Array }))
  }

  async function step(loss: LossKind, targets: readonly LossTarget[], rate: LearningRate): Promise<StepReport> {
    if (isDisposed) throw disposed()
    checkLearningRate(rate)
    return stepping.step({ loss, targets, rate })
  }

  return {
    weights,
    temperature: options.temperature ?? 1,
    topP: options.topP ?? 1,
    resident: stepping.resident,
    get steps() {
      return learner.steps
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
      const oldLogprobs = batch.map(sequence => sequence.oldLogprobs ?? null)
      const computed = (i: number, logprobs: Float32Array) => {
        oldLogprobs[i] = logprobs
      }
      const referred = needsReference ? await withReference(loss, batch) : batch
      const targets = policyTargets(referred, batchOptions, computed)
      if (targets.length === 0) return { loss: 0, gradientNorm: 0, tokens: 0, learningRate: 0, oldLogprobs }
      return { ...(await step(loss, targets, learningRate)), oldLogprobs }
    },
    async logprobs(batch) {
      checkOptions(sequencesSchema, batch, 'batch')
      if (isDisposed) throw disposed()
      return stepping.logprobs('trained', SCORING, batch)
    },
    snapshot: () => learner.snapshot(),
    state: () => learner.state(),
    load(state) {
      checkOptions(stateSchema, state, 'state')
      learner.load(state)
    },
    readBack: () => learner.readBack(),
    async dispose() {
      if (isDisposed) return
      isDisposed = true
      await stepping.dispose()
    },
  }
}

function trainedTensors(weights: Weights, { adapter, parameters = 'all' }: TrainerOptions): Weights {
  if (adapter) return adapter.factors
  if (parameters === 'all') return weights
  return new Map([...weights].filter(([name]) => name.startsWith('model.layers.') || name === 'model.norm.weight'))
}

/** What a pass without a loss is planned as: the least that a policy's loss takes. */
const SCORING = policyLossKind({ clipLow: 0.2, clipHigh: 0.28, klBeta: 0 })

const disposed = () => new TrainerError('the trainer was disposed of', { hint: 'Make another of the same weights.' })

const refusePrecision = (precision: StepPrecision) =>
  new TrainerError(`precision ${precision} needs an adapter that is trained layer by layer`, {
    hint: "Give an adapter and leave layered out, or leave precision at 'float32'.",
  })
