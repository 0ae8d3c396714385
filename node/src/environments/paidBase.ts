import type { Hex } from '#core/hex.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashStoredWeights } from '#model/decoder/weights.ts'
import type { EnvironmentSpec } from './environmentSpec.ts'

/** Content hash of a folder's weights, by which specifications and published adapters name a base. Reads all weights. */
export async function readBaseHash(folder: string): Promise<Hex> {
  return hashStoredWeights(folder, await readDecoderConfig(folder))
}

/** Reason why adapters over a base earn nothing; null if they are paid. */
export function unpaidBase(base: string, { bases }: Pick<EnvironmentSpec, 'bases'>): string | null {
  if (bases === null || bases.some(paid => paid === base)) return null
  return `its base ${base} is none of the environment's: ${bases.join(', ')}`
}
