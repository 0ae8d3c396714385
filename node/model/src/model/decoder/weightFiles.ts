import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { beyondMemory } from '../beyondMemory.ts'
import { readJsonFile } from '../files/jsonFile.ts'
import { haveSameElements, type StoredTensor, scanSafetensors } from '../files/safetensors.ts'
import { ModelFileError } from '../modelErrors.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes } from './decoderWeights.ts'

/** The file in which Hugging Face models that fit one file keep their weights. */
const SINGLE_FILE = 'model.safetensors'

/** File of each tensor, for models of several files. */
const INDEX_FILE = 'model.safetensors.index.json'

/** More than any index of these families: 200 bytes for each of 256 layers' 16 tensors are less than one. */
const INDEX_MAX_BYTES = 8 << 20

// A name without a path: an index must not point outside its folder. A symbolic link there may, as in the hub's cache.
const shardName = z.string().regex(/^[^/\\]+\.safetensors$/, 'names no safetensors file of this folder')
const indexSchema = z.object({ weight_map: z.record(z.string(), shardName) })

/**
 * Finds every weight of a model in its folder: `model.safetensors`, or else the files that `model.safetensors.index.json`
 * names. Only headers are read, so that a wrong folder is refused before memory is allocated; an output layer that repeats the embedding is compared
 * with it.
 *
 * @returns the configuration's weights by name, where they lie and in which type; each of the shape that it should have.
 * @throws {ModelFileError} naming the file and the tensor or field that is missing, misshapen, foreign or malformed, or an output layer that
 *   should be the embedding and is another.
 */
export async function locateWeights(folder: string, config: DecoderConfig): Promise<Map<string, StoredTensor>> {
  const { stored, output } = await findWeights(folder, config)
  if (output) await requireTied(output, stored)
  return stored
}

/** A model's weights, and the output layer that repeats the embedding, if it is stored. */
export interface FoundWeights {
  readonly stored: Map<string, StoredTensor>
  readonly output: StoredTensor | undefined
}

/**
 * As `locateWeights`, without the comparison: half a second for a vocabulary of 150,000.
 *
 * @throws {ModelFileError} as `locateWeights`.
 */
export async function findWeights(folder: string, config: DecoderConfig): Promise<FoundWeights> {
  const single = join(folder, SINGLE_FILE)
  const index = join(folder, INDEX_FILE)
  const isSingle = await isThere(single)
  if (!isSingle && !(await isThere(index)))
    throw new ModelFileError(single, 'file', `is missing, and so is ${INDEX_FILE}`, {
      hint: 'Waggle reads weights from safetensors files; transformers writes them with save_pretrained.',
    })
  const isTied = (name: string) => config.tieWordEmbeddings && name === OUTPUT_LAYER
  const all = isSingle ? await scanSafetensors(single) : await scanShards(folder, index, isTied)
  // Some exporters write more than the weights.
  const stored = new Map([...all].filter(([name]) => !isTied(name) && !isRotary(name)))
  checkShapes(config, stored, isSingle ? single : index)
  return { stored, output: config.tieWordEmbeddings ? all.get(OUTPUT_LAYER) : undefined }
}

/** @param isOptional - whether a file may lack a tensor that the index names, as where only the index was left from an untied model. */
async function scanShards(
  folder: string,
  index: string,
  isOptional: (name: string) => boolean,
): Promise<Map<string, StoredTensor>> {
  const shards = new Map<string, Map<string, StoredTensor>>()
  const stored = new Map<string, StoredTensor>()
  for (const [name, file] of await readIndex(index)) {
    if (isRotary(name)) continue
    const path = join(folder, file)
    const shard = shards.get(file) ?? (await scanSafetensors(path))
    shards.set(file, shard)
    const tensor = shard.get(name)
    if (tensor) stored.set(name, tensor)
    else if (!isOptional(name))
      throw new ModelFileError(path, name, `is not in this file, where ${INDEX_FILE} says that it is`)
  }
  return stored
}

/** @throws {ModelFileError} if the weights are larger in float32 than the memory that is free. */
export function requireMemory(folder: string, stored: ReadonlyMap<string, StoredTensor>): void {
  let elements = 0
  for (const tensor of stored.values()) elements += tensor.elements
  const problem = beyondMemory(Float32Array.BYTES_PER_ELEMENT * elements)
  if (problem === undefined) return
  throw new ModelFileError(folder, 'weights in float32', problem, {
    hint: 'Free some memory, use a smaller model, or generate with --precision int8.',
  })
}

/** @throws {ModelFileError} naming `source` and the first tensor that is missing, misshapen or not the model's. */
export function checkShapes(
  config: DecoderConfig,
  tensors: ReadonlyMap<string, { readonly shape: readonly number[]; readonly path?: string }>,
  source: string,
): void {
  const shapes = decoderWeightShapes(config)
  const refuse = (name: string, problem: string, file = source) =>
    new ModelFileError(file, name, problem, { hint: 'Use weights and config.json of the same model.' })
  for (const [name, shape] of shapes) {
    const found = tensors.get(name)
    if (!found) throw refuse(name, 'is missing')
    if (found.shape.join() !== shape.join())
      throw refuse(name, `has shape [${found.shape}], not [${shape}] as config.json asks`, found.path)
  }
  for (const name of tensors.keys()) if (!shapes.has(name)) throw refuse(name, 'is not a tensor of this model')
}

const OUTPUT_LAYER = 'lm_head.weight'
const isRotary = (name: string) => name.endsWith('.rotary_emb.inv_freq')

/**
 * Some fine-tunes have an output layer of their own and a configuration that says otherwise: with the embedding in its place they are another model.
 *
 * @throws {ModelFileError} if the output layer is not the embedding.
 */
export async function requireTied(output: StoredTensor, stored: ReadonlyMap<string, StoredTensor>): Promise<void> {
  const embedding = stored.get('model.embed_tokens.weight') as StoredTensor
  if (await haveSameElements(output, embedding)) return
  throw new ModelFileError(output.path, OUTPUT_LAYER, 'is not the embedding, as config.json says it is', {
    hint: 'If the model was trained with this output layer, set tie_word_embeddings to false in config.json; otherwise remove it from the file.',
  })
}

async function readIndex(path: string): Promise<Map<string, string>> {
  const parsed = indexSchema.safeParse(await readJsonFile(path, INDEX_MAX_BYTES))
  if (parsed.success) return new Map(Object.entries(parsed.data.weight_map))
  const issue = parsed.error.issues[0]
  throw new ModelFileError(path, issue?.path.join('.') || 'content', issue?.message ?? 'is malformed', {
    cause: parsed.error,
  })
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
