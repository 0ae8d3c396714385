import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { readJsonFile } from '#model/files/jsonFile.ts'
import { allLinear, type BasePrecision, type LoraConfig, parseLoraConfig } from '#model/lora/loraConfig.ts'
import { loraShapes } from '#model/lora/loraFactors.ts'
import { readBasePrecision } from '#model/lora/loraFiles.ts'
import type { AdapterSettings } from '#rl/policy/adapterPolicy.ts'
import { KeptPolicyError } from '#rl/policy/keptPolicyError.ts'

/** The operator's settings of a solver's adapter. Others are taken from the stored policy, or are defaults. */
export interface AskedAdapter {
  /** 0 for all weights. */
  readonly rank?: number | undefined
  readonly alpha?: number | undefined
  readonly targets?: readonly string[] | undefined
  readonly base?: BasePrecision | undefined
}

const USUAL_RANK = 16

/** Most bytes of a tensor's entry in the header of a published policy. */
const ENTRY_BYTES = 200

/** Whether the weights of a model can be published, and so earn, only as an adapter over them. */
export function isPaidAsAdapter(parameters: number): boolean {
  return parameters * Float32Array.BYTES_PER_ELEMENT > MAX_POLICY_BYTES
}

/** The default rank of an adapter: 16, halved until the adapter can be published, and so earn. */
export function usualRank(config: DecoderConfig, targets: readonly string[] = allLinear): number {
  const bytes = (rank: number) =>
    [...loraShapes(config, { rank, alpha: rank, targets, rankStabilized: false }).values()]
      .map(([rows = 0, columns = 0]) => ENTRY_BYTES + Float32Array.BYTES_PER_ELEMENT * rows * columns)
      .reduce((sum, tensor) => sum + tensor, 0)
  let rank = USUAL_RANK
  while (rank > 1 && bytes(rank) > MAX_POLICY_BYTES) rank /= 2
  return rank
}

/**
 * The solver's default: an adapter of the usual rank, unless all weights are small enough to be published. Training all weights of half a
 * billion parameters would take 13 GB, and earn nothing.
 *
 * @param folder - of the stored policy, if there is one; training resumes it unchanged.
 * @param solverFolder - of the trained model.
 */
export async function usualAdapter(
  folder: string,
  asked: AskedAdapter | undefined,
  solverFolder: string,
): Promise<AskedAdapter | undefined> {
  const isKept = ['model.safetensors', 'adapter_config.json'].some(file => existsSync(join(folder, file)))
  if (isKept || asked?.rank !== undefined) return asked
  const config = await readDecoderConfig(solverFolder)
  return isPaidAsAdapter(parameterCount(config)) ? { ...asked, rank: usualRank(config, asked?.targets) } : asked
}

/**
 * The adapter that a policy trains instead of its weights; undefined if it trains its weights. Training resumes a stored adapter with its
 * settings, over a base of the same precision, whether or not an adapter is requested. Whether the base has the same weights is checked when it is
 * opened (`openAdapterPolicy`), since they have to be read.
 *
 * @param folder - of a stored policy, if there is one.
 * @throws {KeptPolicyError} if the folder keeps another adapter, or weights; or if it keeps none and the request names no rank.
 */
export async function adapterToTrain(
  folder: string | null,
  asked: AskedAdapter | undefined,
): Promise<AdapterSettings | undefined> {
  if (folder !== null && existsSync(join(folder, 'model.safetensors'))) return refuseOverWeights(folder, asked)
  const path = join(folder ?? '', 'adapter_config.json')
  if (folder === null || !existsSync(path)) return asked && asked.rank !== 0 ? freshAdapter(asked) : undefined
  const lora = parseLoraConfig(await readJsonFile(path), path)
  const keptBase = await readBasePrecision(folder)
  checkAgainst(folder, { ...lora, base: keptBase }, asked ?? {})
  return { lora, base: keptBase ?? asked?.base ?? 'float32' }
}

function refuseOverWeights(folder: string, asked: AskedAdapter | undefined): undefined {
  if (asked === undefined || asked.rank === 0) return
  throw new KeptPolicyError(`${folder} keeps weights that were trained whole, and an adapter is asked for.`, {
    hint: 'Leave out --lora and what goes with it to continue with them, or move that folder away to begin an adapter.',
  })
}

function freshAdapter({ rank, alpha, targets = allLinear, base = 'float32' }: AskedAdapter): AdapterSettings {
  if (rank === undefined)
    throw new KeptPolicyError('This folder has no adapter yet, and options of an adapter were given.', {
      hint: 'Give --lora RANK to train one, or leave out --lora-alpha, --lora-targets and --lora-base.',
    })
  return { lora: { rank, alpha: alpha ?? 2 * rank, targets, rankStabilized: false }, base }
}

type KeptAdapter = LoraConfig & { readonly base: BasePrecision | null }

/** Option of each setting, and its comparison. */
const compared = {
  rank: ['--lora', String],
  alpha: ['--lora-alpha', String],
  targets: ['--lora-targets', (names: unknown) => [...(names as string[])].sort().join()],
  base: ['--lora-base', String],
} as const satisfies Record<keyof AskedAdapter, readonly [option: string, text: (value: unknown) => string]>

function checkAgainst(folder: string, kept: KeptAdapter, asked: AskedAdapter): void {
  for (const [field, [option, text]] of Object.entries(compared) as [keyof AskedAdapter, (typeof compared)['rank']][]) {
    if (asked[field] === undefined || kept[field] === null || text(asked[field]) === text(kept[field])) continue
    throw new KeptPolicyError(
      `The adapter in ${folder} has ${field} ${text(kept[field])}, and ${option} asks for ${text(asked[field])}.`,
      { hint: `Leave out ${option} to continue with it, or move that folder away to begin another.` },
    )
  }
}
