import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { isUnfinishedWrite } from '#base/writeFileAtomic.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashWeights, type Weights } from '#model/decoder/weights.ts'
import { readSafetensors, writeSafetensors } from '#model/files/safetensors.ts'
import type { BasePrecision } from '#model/lora/loraConfig.ts'
import type { LoraAdapter } from '#model/lora/loraFactors.ts'
import { writeLora } from '#model/lora/loraFiles.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { writeModel } from '#model/writeModel.ts'
import type { OptimizerState } from './optimizers/optimizer.ts'

/** The optimizer's file names its weights by their hash, so that no crash can pair it with others. */
const optimizerFile = (weightsHash: string) => `optimizer-${weightsHash.slice(2, 18)}.safetensors`
const OPTIMIZER = /^optimizer-[0-9a-f]+\.safetensors$/
const STEPS = 'steps'

/**
 * Saves weights (`model.safetensors`, F32), configuration and optimizer state.
 *
 * The optimizer's state is written first, the weights' rename commits, and only then is the state of older weights
 * deleted: after a crash at any point the folder holds weights and the state that belongs to them.
 *
 * @returns the weights' content hash.
 */
export async function saveCheckpoint(
  folder: string,
  config: DecoderConfig,
  weights: Weights,
  state: OptimizerState,
): Promise<`0x${string}`> {
  return saveWithState(folder, weights, state, 'model.safetensors', () => writeModel(folder, config, weights))
}

/**
 * Saves an adapter as PEFT keeps it, and its optimizer state, as safely as `saveCheckpoint`.
 *
 * @param baseModel - name or folder of the model that it is for.
 * @param basePrecision - of that model when the adapter was trained, see `readBasePrecision`.
 * @param baseHash - of that model's weights, see `readBaseHash`.
 * @returns the content hash of the factors.
 */
export async function saveAdapterCheckpoint(
  folder: string,
  adapter: LoraAdapter,
  state: OptimizerState,
  baseModel: string | null = null,
  basePrecision: BasePrecision | null = null,
  baseHash: string | null = null,
): Promise<`0x${string}`> {
  const write = () => writeLora(folder, adapter, baseModel, basePrecision, baseHash)
  return saveWithState(folder, adapter.factors, state, 'adapter_model.safetensors', write)
}

async function saveWithState(
  folder: string,
  trained: Weights,
  state: OptimizerState,
  weightsFile: string,
  write: () => Promise<void>,
): Promise<`0x${string}`> {
  makeFolder(folder)
  const hash = hashWeights(trained)
  const file = optimizerFile(hash)
  // A killed process left a temporary file; no other process writes here.
  const before = await removeFrom(folder, isUnfinishedWrite)
  const inode = await inodeOf(join(folder, weightsFile))
  const tensors = new Map([...state.tensors].map(([name, data]) => [name, { shape: [data.length], data: owned(data) }]))
  tensors.set(STEPS, { shape: [1], data: Float32Array.of(state.steps) }) // exact up to 2^24
  await writeSafetensors(join(folder, file), tensors, 'F32')
  try {
    await write()
  } catch (error) {
    // On a full disk, the state of unwritten weights would take the space of the next save.
    const isWritten = (await inodeOf(join(folder, weightsFile))) !== inode
    if (!isWritten && !before.includes(file)) await rm(join(folder, file), { force: true })
    throw error
  }
  await removeFrom(folder, name => name !== file && OPTIMIZER.test(name))
  return hash
}

/** @returns all names in the folder before. */
async function removeFrom(folder: string, isOver: (name: string) => boolean): Promise<string[]> {
  const names = await readdir(folder)
  for (const name of names) if (isOver(name)) await rm(join(folder, name), { force: true })
  return names
}

/** Changes after each write, which renames a new file into place; undefined if there is no file. */
async function inodeOf(path: string): Promise<bigint | undefined> {
  return (await stat(path, { bigint: true }).catch(() => undefined))?.ino
}

/**
 * The optimizer state that was saved with exactly these weights or factors; null if the folder has none.
 *
 * @throws {ModelFileError} if the file is damaged, or the folder's state is of other weights. A crash cannot cause that, so the weights are not
 *   the saved ones.
 */
export async function readOptimizerState(folder: string, weightsHash: string): Promise<OptimizerState | null> {
  const file = optimizerFile(weightsHash)
  const saved = (await readdir(folder)).filter(name => OPTIMIZER.test(name))
  if (!saved.includes(file)) {
    if (saved[0] === undefined) return null
    throw new ModelFileError(join(folder, saved[0]), 'weights', 'are not those that were saved with it', {
      hint: 'Restore the weights, which are damaged or replaced; or delete the file, to continue from these weights with a fresh optimizer.',
    })
  }
  const damaged = (field: string, problem: string) =>
    new ModelFileError(join(folder, file), field, problem, {
      hint: 'Restore the folder, or delete the file to continue with a fresh optimizer.',
    })
  const tensors = await readSafetensors(join(folder, file))
  const steps = tensors.get(STEPS)?.data[0]
  if (steps === undefined || !Number.isInteger(steps) || steps < 0) throw damaged(STEPS, 'is missing or not a count')
  tensors.delete(STEPS)
  for (const [name, { data }] of tensors)
    if (!data.every(Number.isFinite)) throw damaged(name, 'contains a value that is not a finite number')
  return { steps, tensors: new Map([...tensors].map(([name, { data }]) => [name, data])) }
}

const owned = (data: Float32Array) => data as Float32Array<ArrayBuffer>
