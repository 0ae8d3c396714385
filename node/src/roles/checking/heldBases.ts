import type { Environment } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'
import { readBaseHash, unpaidBase } from '#environments/paidBase.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { freeMemory } from '#model/devices.ts'
import { checkTokenizerFits } from '#model/tokenizers/checkTokenizerFits.ts'

/** The bases over which a node checks adapters. */
export type HeldBases = {
  /** Folder of each, by the hash of its weights. */
  readonly folders: ReadonlyMap<string, string>
  /** The environment's bases that are not held. */
  readonly lacking: readonly string[]
  /** Memory for those that stay loaded. */
  readonly residentBytes: number
  /** Whether all of them fit into it: then no check waits for those over another base. */
  readonly fitTogether: boolean
}

/** Settings of the operator. */
export type AskedBases = {
  /** Folders of bases to hold, besides the environment's model. */
  folders?: readonly string[] | undefined
  /** Memory for those that stay loaded; half of what is free. */
  residentBytes?: number | undefined
}

type Here = Pick<Environment, 'solverFolder' | 'format'> & { spec: Pick<Environment['spec'], 'bases'> }

const GIB = 2 ** 30

/**
 * The bases of a node that checks others. Reads all weights once, for their hashes; none stays in memory.
 *
 * @throws {EnvironmentMismatchError} if the node could check nobody; or if a named base is not the environment's, has another tokenizer, or is larger
 *   than the memory for bases.
 */
export async function holdBases(
  { spec, solverFolder, format }: Here,
  { folders: named = [], residentBytes = freeMemory() / 2 }: AskedBases = {},
): Promise<HeldBases> {
  const folders = new Map<string, string>()
  let [total, own] = [0, 0]
  for (const folder of [solverFolder, ...named]) {
    const config = await readDecoderConfig(folder)
    const isOwn = folder === solverFolder
    if (!isOwn) checkTokenizerFits(format, config, folder)
    const hash = await readBaseHash(folder)
    const reason = unpaidBase(hash, spec)
    if (reason !== null && !isOwn) throw notListed(folder, reason)
    if (reason !== null || folders.has(hash)) continue
    const bytes = Float32Array.BYTES_PER_ELEMENT * parameterCount(config)
    if (isOwn) own = bytes
    else if (bytes > residentBytes) throw tooLarge(folder, bytes, residentBytes)
    total += bytes
    folders.set(hash, folder)
  }
  if (folders.size === 0) throw noneListed(solverFolder, unpaidBase(await readBaseHash(solverFolder), spec) ?? '')
  const memory = Math.max(own, residentBytes)
  const lacking = spec.bases?.filter(base => !folders.has(base)) ?? []
  return { folders, lacking, residentBytes: memory, fitTogether: total <= memory }
}

const notListed = (folder: string, reason: string) =>
  new EnvironmentMismatchError(`The model in ${folder} is not a base of this environment: ${reason}.`, {
    hint: 'Leave it out, or name it with --base at the revision that the environment lists.',
  })

const tooLarge = (folder: string, bytes: number, limit: number) =>
  new EnvironmentMismatchError(
    `The base in ${folder} takes ${(bytes / GIB).toFixed(1)} GiB, and ${(limit / GIB).toFixed(1)} are for bases.`,
    { hint: 'Leave out its --base, free some memory, or name a larger limit with --bases-mb.' },
  )

const noneListed = (folder: string, reason: string) =>
  new EnvironmentMismatchError(`No sampling can be checked with the model in ${folder}: ${reason}.`, {
    hint: "Name a model of the environment's bases with --model, at the revision that it lists.",
  })
