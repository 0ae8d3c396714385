import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { checkOptions, folderSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import type { Weights } from '../decoder/weights.ts'
import { readJsonFile } from '../files/jsonFile.ts'
import {
  readSafetensorsMetadata,
  readStoredTensors,
  scanSafetensors,
  type Tensor,
  writeSafetensors,
} from '../files/safetensors.ts'
import { ModelFileError, ModelInputError } from '../modelErrors.ts'
import { type BasePrecision, basePrecisions, formatLoraConfig, parseLoraConfig } from './loraConfig.ts'
import { type LoraAdapter, loraShapes } from './loraFactors.ts'

// An adapter on disk, as PEFT keeps it: `adapter_config.json` and `adapter_model.safetensors`.

const CONFIG_FILE = 'adapter_config.json'
const FACTORS_FILE = 'adapter_model.safetensors'

const BASE_PRECISION = 'base_precision'
const BASE_HASH = 'base_hash'

/** PEFT's wrapper and the model's own attribute, before a module's name in the model. */
const PREFIX = 'base_model.model.'

/**
 * Reads a PEFT adapter's folder.
 *
 * @param config - of the model that the adapter is for.
 * @throws {ModelFileError} if a file is missing or damaged, asks for more than plain LoRA, or does not fit the model.
 */
export async function readLora(folder: string, config: DecoderConfig): Promise<LoraAdapter> {
  checkOptions(folderSchema, folder, 'the folder of an adapter')
  const configPath = join(folder, CONFIG_FILE)
  const lora = parseLoraConfig(await readJsonFile(configPath), configPath)
  const path = join(folder, FACTORS_FILE)
  const shapes = fittingShapes(config, lora, configPath)
  const stored = await scanSafetensors(path)
  checkFactors(path, stored, shapes)
  const saved = await readStoredTensors(stored.values())
  const factors: Weights = new Map()
  for (const name of shapes.keys()) {
    const found = saved.get(PREFIX + name) as Tensor
    const at = found.data.findIndex(x => !Number.isFinite(x))
    if (at >= 0) throw new ModelFileError(path, PREFIX + name, `element ${at} is ${found.data[at]}`)
    factors.set(name, found)
  }
  return { config: lora, factors }
}

/**
 * The precision of the base that an adapter was trained over, if its folder says one.
 *
 * @throws {ModelFileError} if the file is damaged, or names another precision.
 */
export async function readBasePrecision(folder: string): Promise<BasePrecision | null> {
  const path = join(folder, FACTORS_FILE)
  const said = (await readSafetensorsMetadata(path))[BASE_PRECISION]
  const known = basePrecisions.find(precision => precision === said)
  if (said === undefined || known !== undefined) return known ?? null
  throw new ModelFileError(path, BASE_PRECISION, `is ${said.slice(0, 40)}, and not ${basePrecisions.join(' or ')}`)
}

/**
 * The content hash of the base's weights (`hashWeights`) that an adapter was trained over, if its folder has one.
 *
 * @throws {ModelFileError} if the file is damaged.
 */
export async function readBaseHash(folder: string): Promise<string | null> {
  const path = join(folder, FACTORS_FILE)
  const said = (await readSafetensorsMetadata(path))[BASE_HASH]
  if (said === undefined || /^0x[0-9a-f]{64}$/.test(said)) return said ?? null
  throw new ModelFileError(path, BASE_HASH, `is ${said.slice(0, 40)}, and not a sha-256`)
}

/** Checks the header's claims before allocating memory. */
function checkFactors(
  path: string,
  stored: ReadonlyMap<string, { readonly shape: readonly number[] }>,
  shapes: ReadonlyMap<string, readonly number[]>,
): void {
  for (const [name, shape] of shapes) {
    const found = stored.get(PREFIX + name)
    if (!found) throw unfit(path, PREFIX + name, 'is missing')
    if (found.shape.join() !== shape.join())
      throw unfit(path, PREFIX + name, `has shape [${found.shape}], not [${shape}]`)
  }
  const unknown = [...stored.keys()].find(name => !shapes.has(name.slice(PREFIX.length)) || !name.startsWith(PREFIX))
  if (unknown !== undefined) throw unfit(path, unknown, 'is not a factor of this adapter')
}

/**
 * Writes an adapter so that PEFT loads it: factors in F32 first, the configuration, which names them whole, last.
 *
 * @param baseModel - name or folder of the model that it is for, kept in the configuration.
 * @param basePrecision - of the model under it, for `readBasePrecision`. It is kept in the factors' metadata, which PEFT ignores.
 * @param baseHash - of that model's weights, for `readBaseHash`. It is kept there too.
 */
export async function writeLora(
  folder: string,
  adapter: LoraAdapter,
  baseModel: string | null = null,
  basePrecision: BasePrecision | null = null,
  baseHash: string | null = null,
): Promise<void> {
  makeFolder(folder)
  const tensors = new Map([...adapter.factors].map(([name, factor]) => [PREFIX + name, factor]))
  const metadata = {
    ...(basePrecision === null ? {} : { [BASE_PRECISION]: basePrecision }),
    ...(baseHash === null ? {} : { [BASE_HASH]: baseHash }),
  }
  await writeSafetensors(join(folder, FACTORS_FILE), tensors, 'F32', metadata)
  const content = `${JSON.stringify(formatLoraConfig(adapter.config, baseModel), null, 2)}\n`
  await writeFileAtomic(join(folder, CONFIG_FILE), Buffer.from(content))
}

function fittingShapes(config: DecoderConfig, lora: LoraAdapter['config'], path: string) {
  try {
    return loraShapes(config, lora)
  } catch (cause) {
    if (cause instanceof ModelInputError) throw unfit(path, 'target_modules', cause.message)
    throw cause
  }
}

const unfit = (file: string, field: string, problem: string) =>
  new ModelFileError(file, field, problem, { hint: 'Use an adapter that was trained for this model.' })
