import { lengthBatches } from '#model/decoder/batch.ts'
import type { GradientPass } from './gradientPass.ts'
import type { PlannedPasses } from './plannedPasses.ts'

/** Beyond this one graph is no faster than layer by layer: its intermediate values have long left the caches. */
const WHOLE_GRAPH_BYTES = 2 ** 30

interface PassChoice {
  /** Bytes that a step may use, where it holds some already. */
  readonly memoryBytes: (heldBytes: number) => number
  /** Padded tokens of a part at most, in one graph. */
  readonly maxTokens: number
  readonly whole: () => GradientPass
  readonly layered: () => PlannedPasses
  /** Bytes that one graph would take for a batch. */
  readonly estimate: (...batch: Parameters<PlannedPasses['for']>) => number
}

/**
 * One graph of the whole decoder as long as a batch's estimate fits, and from the first that does not, or whose memory could not be
 * had, layer by layer. The last bits differ where layers share a prompt, or cut a frozen output layer into parts: so where memory is not short,
 * the choice follows from model and batch.
 */
export function createChosenPasses({ memoryBytes, maxTokens, whole, layered, estimate }: PassChoice): PlannedPasses {
  let graph: GradientPass | undefined = whole()
  let layers: PlannedPasses | undefined
  let held = 0

  /** The graph's memory is given back before anything else is asked for. */
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
