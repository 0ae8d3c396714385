import { keepsTensors } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { lengthBatches } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import { DeviceLearner } from './device/deviceLearner.ts'
import { createDevicePass } from './device/devicePass.ts'
import { readSums } from './device/deviceSums.ts'
import { createLayeredPass } from './layered/layeredPass.ts'
import { createAdamW } from './optimizers/adamW.ts'
import { hostLearner, type Learner } from './optimizers/learner.ts'
import { type LearningRate, learningRateAt } from './optimizers/learningRate.ts'
import { createMuon } from './optimizers/muon.ts'
import { createBatchPasses } from './passes/batchPasses.ts'
import { createMonolithicPass, type GradientPass } from './passes/gradientPass.ts'
import { createPlannedPasses, type PlannedPasses, stepShape } from './passes/plannedPasses.ts'
import type { LossTarget } from './passes/policyBatch.ts'
import { plannable } from './passes/stepBudget.ts'
import { trainedElements, wholeGraphBytes } from './passes/stepPlan.ts'
import type { LossKind } from './passes/trainingGraphs.ts'
import type { StepReport, TrainerOptions } from './trainerOptions.ts'

/** Inputs of a step. */
export interface Step {
  readonly loss: LossKind
  readonly targets: readonly LossTarget[]
  readonly rate: LearningRate
  /** Limit of the gradients' joint norm; the trainer's by default. */
  readonly clipNorm?: number | undefined
}

/** How a trainer computes gradients and applies updates, on any device. */
export interface Stepping {
  readonly learner: Omit<Learner<never>, 'update' | 'dispose'>
  /** Returns a trained tensor on its device; null if trained tensors are in this process's memory. */
  readonly resident: ((name: string) => Promise<DeviceTensor>) | null
  readonly logprobs: ReturnType<typeof createBatchPasses>['logprobs']
  step(step: Step): Promise<StepReport>
  dispose(): Promise<void>
}

/**
 * On a device that keeps tensors, AdamW runs there too; Muon, and a step in one graph, update tensors in this process's memory.
 *
 * @param parameters - the trained tensors.
 */
export async function openStepping(
  config: DecoderConfig,
  weights: Weights,
  parameters: Weights,
  options: TrainerOptions,
): Promise<Stepping> {
  const { device = 'cpu', layered, precision = 'float32', optimizer = { kind: 'adamW' } } = options
  const free = (sum: DeviceTensor) => sum.dispose()
  if (!keepsTensors(device) || layered === false) {
    const learner = hostLearner(parameters, await createOptimizer(parameters, options))
    return stepping(hostPasses(config, weights, parameters, options), learner, {
      options,
      free: () => {},
      resident: null,
    })
  }
  const planned = { ...passOptions(parameters, options), memoryBytes: options.memoryBytes, precision }
  const passes = (resident?: (name: string) => Promise<DeviceTensor>) =>
    createPlannedPasses(config, weights, planned, (...args) => createDevicePass(...args, resident))
  if (optimizer.kind === 'adamW') {
    const learner = new DeviceLearner(parameters, optimizer, device)
    const resident = (name: string) => learner.weight(name)
    return stepping(passes(resident), learner, { options, free, resident })
  }
  const host = hostLearner(parameters, await createOptimizer(parameters, options))
  const learner: Learner<DeviceTensor> = {
    ...host,
    get steps() {
      return host.steps
    },
    update: async update => host.update({ ...update, sums: await readSums(device, update.sums) }),
  }
  return stepping(passes(), learner, { options, free, resident: null })
}

function stepping<G>(
  planned: PlannedPasses<G>,
  learner: Learner<G>,
  { options, free, resident }: Pick<Stepping, 'resident'> & { options: TrainerOptions; free: (sum: G) => void },
): Stepping {
  const passes = createBatchPasses(planned, free)
  const { clipNorm: limit = 1 } = options
  return {
    learner,
    resident,
    logprobs: passes.logprobs,
    step: ({ loss, targets, rate, clipNorm = limit }) =>
      passes.gradients(loss, targets, async (total, sums) => {
        const learningRate = learningRateAt(learner.steps, rate)
        const gradientNorm = await learner.update({ loss: total, sums, learningRate, clipNorm })
        const tokens = targets.reduce((n, s) => n + s.tokens.length - 1, 0)
        return { loss: total, gradientNorm, tokens, learningRate }
      }),
    async dispose() {
      await learner.dispose()
      await passes.dispose()
    },
  }
}

function createOptimizer(parameters: Weights, { optimizer = { kind: 'adamW' }, threads = 2 }: TrainerOptions) {
  if (optimizer.kind === 'adamW') return createAdamW(parameters, optimizer)
  return createMuon(parameters, { threads, ...optimizer })
}

function passOptions(parameters: Weights, { adapter, device, threads = 2, temperature = 1 }: TrainerOptions) {
  return { threads, device, temperature, adapter, trained: (name: string) => parameters.has(name) }
}

/** Chooses how gradients are computed: by the options, else by the estimate of a step. */
function hostPasses(config: DecoderConfig, weights: Weights, parameters: Weights, options: TrainerOptions) {
  const { precision = 'float32', maxTokens = 2048, memoryBytes } = options
  const own = passOptions(parameters, options)
  const layered = () => createPlannedPasses(config, weights, { ...own, memoryBytes, precision }, createLayeredPass)
  if (options.layered ?? precision !== 'float32') return layered()
  const elements = trainedElements(config, parameters)
  return createChosenPasses({
    memoryBytes: held => (options.layered === false ? Number.POSITIVE_INFINITY : (memoryBytes ?? plannable(held))),
    maxTokens,
    whole: () => createMonolithicPass(config, weights, own),
    layered,
    estimate: (loss, batch) =>
      options.layered === false ? 0 : wholeGraphBytes(config, stepShape(loss, batch, elements), maxTokens),
  })
}

/** With more bytes than this, one graph is not faster than layer by layer: its intermediate values no longer fit the caches. */
const WHOLE_GRAPH_BYTES = 2 ** 30

interface PassChoice {
  /** Bytes that a step may use, including those that it already holds. */
  readonly memoryBytes: (heldBytes: number) => number
  /** Maximum of padded tokens of a part, in one graph. */
  readonly maxTokens: number
  readonly whole: () => GradientPass
  readonly layered: () => PlannedPasses
  /** Bytes that one graph would need for a batch. */
  readonly estimate: (...batch: Parameters<PlannedPasses['for']>) => number
}

/**
 * Uses one graph of the whole decoder as long as a batch's estimate fits. From the first batch that does not fit, or whose allocation fails, it
 * works layer by layer. The last bits differ if layers share a prompt or split a frozen output layer into parts. So with enough memory, the
 * choice depends only on the model and the batch.
 */
export function createChosenPasses({ memoryBytes, maxTokens, whole, layered, estimate }: PassChoice): PlannedPasses {
  let graph: GradientPass | undefined = whole()
  let layers: PlannedPasses | undefined
  let held = 0

  /** Frees the graph's memory before allocating anything else. */
  async function byLayers(): Promise<PlannedPasses> {
    await graph?.dispose(true)
    graph = undefined
    layers ??= layered()
    return layers
  }

  return {
    async for(loss, batch) {
      const bytes = estimate(loss, batch)
      if (graph && bytes <= Math.min(WHOLE_GRAPH_BYTES, memoryBytes(held))) {
        held = Math.max(held, bytes)
        const lengths = batch.map(({ tokens }) => tokens.length)
        return { pass: graph, parts: lengthBatches(lengths, maxTokens) }
      }
      return (await byLayers()).for(loss, batch)
    },
    async shrink() {
      if (!graph) return (await byLayers()).shrink()
      await byLayers()
      return true
    },
    async dispose() {
      await graph?.dispose()
      await layers?.dispose()
    },
  }
}
