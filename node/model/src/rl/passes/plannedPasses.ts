import { freeAddresses, freeMemory } from '#engine/devices/freeMemory.ts'
import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import type { StepPrecision } from '#model/lora/loraConfig.ts'
import type { LayeredPassOptions } from '../layered/layeredSessions.ts'
import type { GradientPass, GradientPassOptions } from './gradientPass.ts'
import { promptParts } from './promptParts.ts'
import { promptGroups, sharedPromptLength } from './sharedPrompt.ts'
import { leastStepBytes, type StepPlan, type StepShape, stepPlan, trainedElements } from './stepPlan.ts'
import type { LossKind } from './trainingGraphs.ts'
import type { Shrinkable } from './withinMemory.ts'

/** Chooses the pass for a batch, and the parts of the batch: lists of indices, every index once. */
export interface PlannedPasses<G = Float32Array> extends Shrinkable {
  for(loss: LossKind, batch: readonly ScoredSequence[]): Promise<{ pass: GradientPass<G>; parts: number[][] }>
  dispose(): Promise<void>
}

/** Share of the free memory that a step may plan with: an estimate is not exact, and others use the machine too. */
const FREE_SHARE = 0.8

/** Address space that sessions reserve and do not use, for their threads and in their arenas: 0.6 to 0.95 GB, measured. */
const RESERVED_ADDRESSES = 0.9e9

/** Bytes that a step may plan with now, including bytes that it already holds. */
export function plannable(heldBytes: number): number {
  const reserved = heldBytes > 0 ? 0 : RESERVED_ADDRESSES
  const addresses = Math.max(0, freeAddresses() - reserved + heldBytes)
  return Math.min(FREE_SHARE * (freeMemory() + heldBytes), addresses)
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

/** The smaller plan after an allocation failed. */
const SHRINK = 0.5

/**
 * Layered passes that fit the free memory. Above a minimum, memory changes the speed of a step and not its bits; see `stepPlan`.
 *
 * @param open - makes a pass.
 * @param options.memoryBytes - for optimizer, gradients and activations; by default four fifths of the memory that is free before a step, or
 *   was before an earlier one if that was less.
 */
export function createPlannedPasses<G>(
  config: DecoderConfig,
  weights: Weights,
  options: GradientPassOptions & { readonly memoryBytes: number | undefined; readonly precision: StepPrecision },
  open: (config: DecoderConfig, weights: Weights, options: LayeredPassOptions) => Promise<GradientPass<G>>,
): PlannedPasses<G> {
  let memoryBytes = options.memoryBytes ?? plannable(0)
  let [planned, failed] = [memoryBytes, 0]
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
      current = { key, pass: await open(config, weights, { ...options, kept, headRows }) }
    }
    return current.pass
  }

  return {
    async for(loss, batch) {
      const shape = { ...stepShape(loss, batch, elements), precision: options.precision }
      if (options.memoryBytes === undefined) memoryBytes = Math.min(memoryBytes, plannable(current ? planned : 0))
      const least = leastStepBytes(config, shape)
      const plan = stepPlan(config, shape, least < failed ? Math.max(memoryBytes, least) : memoryBytes)
      planned = plan.bytes
      return { pass: await passFor(plan), parts: promptParts(batch, plan) }
    },
    /** Plans for less memory than the plan that failed took, or for the least possible. Frees what that plan held. If this fails too, the next step is refused. */
    async shrink() {
      failed = planned
      memoryBytes = SHRINK * Math.min(memoryBytes, planned)
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
