import type { ScoredSequence } from '#model/batch.ts'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import type { Weights } from '#model/weights.ts'
import type { GradientPass, GradientPassOptions } from './gradientPass.ts'
import { createLayeredPass } from './layeredPass.ts'
import type { BasePrecision } from './layerModels.ts'
import { promptGroups, promptParts, sharedPromptLength } from './sharedPrompt.ts'
import { type StepPlan, stepPlan, trainedElements } from './stepPlan.ts'
import type { LossKind } from './trainingGraphs.ts'
import type { Shrinkable } from './withinMemory.ts'

/** Chooses the pass for a batch, and the parts that it is run on: of indices into the batch, every index once. */
export interface PlannedPasses extends Shrinkable {
  for(loss: LossKind, batch: readonly ScoredSequence[]): Promise<{ pass: GradientPass; parts: number[][] }>
  dispose(): Promise<void>
}

/** The share of what is free that a step may plan with: an estimate is not exact, and others use the machine too. */
const FREE_SHARE = 0.8

/** What a plan whose memory could not be had is cut to. */
const SHRINK = 0.5

/**
 * Layered passes cut to the memory at hand. The parts of a step follow from the batch and `memoryBytes`, so with that given
 * the bits of a step do not depend on what else the machine does.
 *
 * @param open - makes a pass; the real one unless a test watches.
 * @param options.memoryBytes - for optimizer, gradients and activations; by default four fifths of what is free now.
 */
export function createPlannedPasses(
  config: DecoderConfig,
  weights: Weights,
  options: GradientPassOptions & { readonly memoryBytes: number | undefined; readonly precision: BasePrecision },
  open: typeof createLayeredPass = createLayeredPass,
): PlannedPasses {
  let memoryBytes = options.memoryBytes ?? FREE_SHARE * process.availableMemory()
  let planned = memoryBytes
  const parameters = new Map(
    [...weights, ...(options.adapter?.factors ?? [])].filter(([name]) => options.trained(name)),
  )
  const elements = trainedElements(config, parameters)
  const sequenceLevel = (loss: LossKind) => loss.kind === 'policy' && loss.importanceSamplingLevel === 'sequence'
  let current: { readonly key: string; readonly pass: GradientPass } | undefined

  /** One pass at a time, so that two never hold memory together. */
  async function passFor({ kept, headRows }: StepPlan): Promise<GradientPass> {
    const key = `${kept} ${headRows}`
    if (current?.key !== key) {
      await current?.pass.dispose()
      current = { key, pass: await open(config, weights, { ...options, kept, headRows }) }
    }
    return current.pass
  }

  return {
    async for(loss, batch) {
      const length = Math.max(...batch.map(sequence => sequence.tokens.length))
      const scored = Math.max(...batch.map(sequence => sequence.scored.length))
      const prompt = Math.min(
        ...promptGroups(batch).map(group => sharedPromptLength(group.map(i => batch[i] as ScoredSequence))),
      )
      const shape = { batch: batch.length, length, prompt, scored, ...elements, wholeHead: sequenceLevel(loss) }
      const plan = stepPlan(config, shape, memoryBytes)
      planned = plan.bytes
      return { pass: await passFor(plan), parts: promptParts(batch, plan.sequences) }
    },
    /** Of the plan that failed; what it held is freed first. A step that then fits in no way is refused with what it needs. */
    async shrink() {
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
