import { keepsTensors } from '#engine/devices/device.ts'
import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import type { StepPrecision } from '#model/lora/loraConfig.ts'
import type { GradientPass, GradientPassOptions } from './gradientPass.ts'
import type { LayeredPassOptions } from './layeredPassOptions.ts'
import { promptParts } from './promptParts.ts'
import { promptGroups, sharedPromptLength } from './sharedPrompt.ts'
import { fixedMemory, machineMemory, StepBudget, type StepMemory } from './stepBudget.ts'
import { leastStepBytes, type StepPlan, type StepShape, stepPlan, trainedElements } from './stepPlan.ts'
import type { LossKind } from './trainingGraphs.ts'
import type { Shrinkable } from './withinMemory.ts'

/** Chooses the pass for a batch, and the parts of the batch: lists of indices, every index once. */
export interface PlannedPasses<G = Float32Array> extends Shrinkable {
  for(loss: LossKind, batch: readonly ScoredSequence[]): Promise<{ pass: GradientPass<G>; parts: number[][] }>
  dispose(): Promise<void>
}

/** Sizes of a batch, from which a step's memory is estimated. */
export function stepShape(
  loss: LossKind,
  batch: readonly ScoredSequence[],
  elements: ReturnType<typeof trainedElements>,
): StepShape {
  const most = (of: (sequence: ScoredSequence) => number) => batch.reduce((n, sequence) => Math.max(n, of(sequence)), 1)
  const wholeHead = loss.kind === 'policy' && loss.importanceSamplingLevel === 'sequence'
  const [length, scored] = [most(({ tokens }) => tokens.length), most(({ scored }) => scored.length)]
  const groups = promptGroups(batch)
  const shared = groups.map(group => sharedPromptLength(group.map(i => batch[i] as ScoredSequence)))
  const sharing = groups.filter(group => group.length > 1).length
  const counted = { batch: batch.length, length, groups: sharing < groups.length ? sharing + 1 : sharing }
  const leastScored = batch.reduce((n, sequence) => Math.min(n, sequence.scored.length), scored)
  return { ...counted, prompt: Math.min(...shared), scored, leastScored, ...elements, wholeHead }
}

export interface PlannedPassesOptions extends GradientPassOptions {
  /**
   * For optimizer, gradients and activations; by default four fifths of the memory that is free before each step. A device that keeps tensors has its
   * own memory, which the runtime does not tell: there it is by default what the fastest plan takes, until an allocation fails.
   */
  readonly memoryBytes: number | undefined
  readonly precision: StepPrecision
  /** Reads the free memory, where it decides; the machine's. */
  readonly memory?: StepMemory
}

/**
 * Layered passes that fit the memory. Above a minimum, memory changes the speed of a step and not its bits; see `stepPlan`.
 *
 * @param open - makes a pass.
 */
export function createPlannedPasses<G>(
  config: DecoderConfig,
  weights: Weights,
  options: PlannedPassesOptions,
  open: (config: DecoderConfig, weights: Weights, options: LayeredPassOptions) => Promise<GradientPass<G>>,
): PlannedPasses<G> {
  const budget = new StepBudget(memoryOf(options))
  const parameters = new Map(
    [...weights, ...(options.adapter?.factors ?? [])].filter(([name]) => options.trained(name)),
  )
  const elements = trainedElements(config, parameters)
  let current: { readonly key: string; readonly pass: GradientPass<G> } | undefined

  /** One pass at a time, so that two never hold memory together. */
  async function passFor({ kept, headRows }: StepPlan): Promise<GradientPass<G>> {
    const key = `${kept} ${headRows}`
    if (current?.key !== key) {
      await current?.pass.dispose()
      current = undefined
      budget.open()
      current = { key, pass: await open(config, weights, { ...options, kept, headRows }) }
    }
    return current.pass
  }

  return {
    async for(loss, batch) {
      const shape = { ...stepShape(loss, batch, elements), precision: options.precision }
      const plan = stepPlan(config, shape, budget.next(leastStepBytes(config, shape), current !== undefined))
      budget.plan(plan.bytes)
      return { pass: await passFor(plan), parts: promptParts(batch, plan) }
    },
    /** Plans for less memory than the plan that failed took, or once for the least possible. Frees what that plan held. If this fails too, the step is refused. */
    async shrink() {
      budget.fail()
      await current?.pass.dispose(true)
      current = undefined
      return true
    },
    async dispose() {
      await current?.pass.dispose()
      current = undefined
    },
  }
}

function memoryOf({ memoryBytes, device = 'cpu', memory = machineMemory }: PlannedPassesOptions): StepMemory {
  if (memoryBytes !== undefined) return fixedMemory(memoryBytes)
  return keepsTensors(device) ? fixedMemory(Number.POSITIVE_INFINITY) : memory
}
