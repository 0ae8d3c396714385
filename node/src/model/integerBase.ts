import type { DecoderConfig } from './decoderConfig.ts'
import type { Freeze } from './frozenParts.ts'
import { frozenParts } from './frozenParts.ts'
import type { FrozenTensors } from './frozenTensors.ts'

/**
 * A base whose layers are 8-bit integers while its embedding and output layer stay as `tables` has them: what an adapter over
 * `integerParts` is trained on, so that the policy that generates is the policy that is trained.
 *
 * @param layers - the model in int8.
 */
export function integerBase(config: DecoderConfig, layers: FrozenTensors, tables: Freeze): Freeze {
  return graph => {
    const { embed, logits } = tables(graph)
    return { ...frozenParts(config, layers)(graph), embed, logits }
  }
}
