import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import type { StepPrecision } from '#model/lora/loraConfig.ts'
import { NotFiniteError, type Snapshot } from './optimizers/learner.ts'
import type { LearningRate } from './optimizers/learningRate.ts'
import type { OptimizerState } from './optimizers/optimizer.ts'
import { checkedTarget, type PolicyBatchOptions, type PolicySequence, policyTargets } from './passes/policyBatch.ts'
import { policyLossKind } from './passes/trainingGraphs.ts'
import {
  checkLearningRate,
  checkOptions,
  policyStepSchema,
  sequencesSchema,
  stateSchema,
  trainerSchema,
  weightedSequencesSchema,
} from './stepOptions.ts'
import { openStepping, type Step } from './stepping.ts'
import { TrainerError } from './trainerError.ts'
import type { StepReport, TrainerOptions } from './trainerOptions.ts'

/** A sequence to learn, with a weight for each scored token. */
export interface TrainingSequence extends ScoredSequence {
  /** [scored.length]; the loss is the weighted mean over the batch. */
  readonly weights: Float32Array
}

export interface PolicyStepOptions extends PolicyBatchOptions {
  readonly learningRate: LearningRate
  /** Limit of the gradients' joint norm in this step; the trainer's by default. */
  readonly clipNorm?: number
}

export interface PolicyStepReport extends StepReport {
  /** [scored.length] for each sequence, before the update: given or computed; null for one that was left out of the loss and came without them. */
  readonly oldLogprobs: readonly (Float32Array | null)[]
}

/** Trains in place, so a generator over the same arrays sees every step, on a device after `readBack`. */
export interface Trainer {
  readonly weights: Weights
  /** How the policy that is trained is sampled. */
  readonly temperature: number
  readonly topP: number
  /** Updates taken, including those before a loaded state; a schedule of the learning rate uses it. */
  readonly steps: number
  crossEntropyStep(batch: readonly TrainingSequence[], learningRate: LearningRate): Promise<StepReport>
  policyStep(batch: readonly PolicySequence[], options: PolicyStepOptions): Promise<PolicyStepReport>
  /** [scored.length] for each sequence: log-probabilities under the trained policy, at the trainer's temperature, as a step computes them. */
  logprobs(batch: readonly ScoredSequence[]): Promise<Float32Array[]>
  /** Keeps the trained tensors and the optimizer's state, to restore them bit for bit or to release them. */
  snapshot(): Promise<Snapshot>
  state(): Promise<OptimizerState>
  load(state: OptimizerState): void
  /** Copies the trained tensors into their arrays; does nothing unless they are `resident`. */
  readBack(): Promise<void>
  /**
   * Returns the current state of a trained tensor on a device; null if none stays there. If it is set, steps do not change the arrays, and
   * changes of the arrays have no effect.
   */
  readonly resident: ((name: string) => Promise<DeviceTensor>) | null
  dispose(): Promise<void>
}

/**
 * A trainer of the weights of a decoder, or of an adapter's factors over frozen weights.
 *
 * Memory is estimated before a step. If the estimate was wrong and an allocation fails, the step starts again with less memory, before
 * anything has changed. Later steps use that amount too, until it has grown again step by step.
 *
 * Every step is deterministic: the same weights, state and batch give bitwise identical results for any number of threads and any amount of
 * memory. The exception is too little memory: if layers replace one graph, parts become smaller (see `stepPlan`), or layers after a shared prompt
 * are computed twice.
 *
 * @param weights - changed in place by every step, unless an adapter is trained; then its factors are. See `Trainer.readBack`.
 * @throws {TrainerError} naming an invalid option; a step throws it too, before any weight changes.
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

  async function step(batch: Step): Promise<StepReport> {
    if (isDisposed) throw disposed()
    checkLearningRate(batch.rate)
    return stepping.step(batch)
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
      return step({ loss: { kind: 'crossEntropy' }, targets, rate: learningRate })
    },
    async policyStep(batch, { learningRate: rate, clipNorm, ...batchOptions }) {
      checkOptions(policyStepSchema, { clipNorm, ...batchOptions })
      checkOptions(sequencesSchema, batch, 'batch')
      if (isDisposed) throw disposed()
      const loss = policyLossKind(batchOptions)
      const needsReference = adapter && batchOptions.klBeta > 0
      const oldLogprobs = batch.map(sequence => sequence.oldLogprobs ?? null)
      const computed = (i: number, logprobs: Float32Array) => {
        oldLogprobs[i] = logprobs
      }
      const ofBase = (missing: readonly PolicySequence[]) => stepping.logprobs('base', loss, missing)
      const referred = needsReference ? await withReferences(batch, ofBase) : batch
      const targets = policyTargets(referred, batchOptions, computed)
      if (targets.length === 0) return { loss: 0, gradientNorm: 0, tokens: 0, learningRate: 0, oldLogprobs }
      const report = await step({ loss, targets, rate, clipNorm }).catch(async error => {
        if (!(error instanceof NotFiniteError) || batchOptions.klBeta === 0) throw error
        const own = await stepping.logprobs('trained', SCORING, referred)
        throw infiniteKl(referred, own, error) ?? error
      })
      return { ...report, oldLogprobs }
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

/** Gives sequences without a reference the log-probabilities of the base model, which is that of an adapter. */
async function withReferences(
  batch: readonly PolicySequence[],
  compute: (missing: readonly PolicySequence[]) => Promise<Float32Array[]>,
): Promise<PolicySequence[]> {
  const computed = (await compute(batch.filter(sequence => !sequence.referenceLogprobs))).values()
  return batch.map(sequence => ({
    ...sequence,
    referenceLogprobs: sequence.referenceLogprobs ?? (computed.next().value as Float32Array),
  }))
}

/** From 88.8 on the KL estimate is infinite in float32: it grows with the exponential of the nats. */
const MOST_KL_NATS = 88

/** The error of a batch in which a token is so much less likely than under the reference that its KL penalty is infinite; null if none is. */
function infiniteKl(batch: readonly PolicySequence[], own: readonly Float32Array[], cause: Error): TrainerError | null {
  for (const [i, { referenceLogprobs = new Float32Array() }] of batch.entries())
    for (const [at, reference] of referenceLogprobs.entries()) {
      const nats = reference - (own[i]?.[at] ?? Number.NaN)
      if (nats < MOST_KL_NATS || Number.isNaN(nats)) continue
      return new TrainerError(
        `the KL penalty of sequence ${i} is infinite: its scored token ${at} is ${nats.toFixed(0)} nats less likely than under the reference`,
        { hint: 'Leave the sequence out, set klBeta to 0, or go back to the last saved weights.', cause },
      )
    }
  return null
}

function trainedTensors(weights: Weights, { adapter, parameters = 'all' }: TrainerOptions): Weights {
  if (adapter) return adapter.factors
  if (parameters === 'all') return weights
  return new Map([...weights].filter(([name]) => name.startsWith('model.layers.') || name === 'model.norm.weight'))
}

/** The smallest policy loss, for which a pass without a loss is planned. */
const SCORING = policyLossKind({ clipLow: 0.2, clipHigh: 0.28, klBeta: 0 })

const disposed = () => new TrainerError('the trainer was disposed of', { hint: 'Make another of the same weights.' })

const refusePrecision = (precision: StepPrecision) =>
  new TrainerError(`precision ${precision} needs an adapter that is trained layer by layer`, {
    hint: "Give an adapter and leave layered out, or leave precision at 'float32'.",
  })
