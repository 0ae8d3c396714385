import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { writeFolderAtomic } from '#base/writeFolderAtomic.ts'
import { type DecoderConfig, formatDecoderConfig } from '../decoder/decoderConfig.ts'
import { checkShapes } from '../decoder/weightFiles.ts'
import { type FileFingerprint, sameContent } from '../files/fileFingerprint.ts'
import { changedFile, withRegularFile } from '../files/regularFile.ts'
import { encodeSafetensorsHeader } from '../files/safetensors.ts'
import { ModelFileError } from '../modelErrors.ts'
import { checkTokenizerFits } from '../tokenizers/checkTokenizerFits.ts'
import { PretrainedTokenizer } from '../tokenizers/pretrainedTokenizer.ts'
import { ggufConfig } from './ggufConfig.ts'
import { headRows, huggingFaceName, ROPE_FACTORS, tensorBytes } from './ggufTensors.ts'
import { ggufTokenizer } from './ggufTokenizer.ts'
import { type GgufFile, type GgufTensor, readGguf } from './readGguf.ts'

/** Of the folder that an import writes. Raised with each change, so that what an older version imported is not taken for it. */
export const IMPORT_FORMAT = 2

interface ImportOptions {
  /** The content that is wanted: another one is refused. */
  readonly known?: FileFingerprint | undefined
  /** Told the share of the weights that is written. */
  readonly onProgress?: ((done: number) => void) | undefined
  /** Asked between parts of a tensor; its reason is thrown, and nothing is left behind. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes a Hugging Face folder of a GGUF file: configuration, tokenizer with chat template, end tokens and weights. Quantised
 * weights become float32, which loses nothing; 16-bit ones stay as they are. The folder is there whole or not at all.
 *
 * Weights go through memory some megabytes at a time.
 *
 * @throws {ModelFileError} naming the file and the field or tensor that is missing, invalid or not supported; or naming the folder if it already
 *   exists.
 * @throws {FolderError} if the folder cannot be made, or another process made it meanwhile.
 */
export async function importGguf(path: string, folder: string, options: ImportOptions = {}): Promise<void> {
  if (existsSync(folder))
    throw new ModelFileError(folder, 'folder', 'already exists', { hint: 'Name one that does not exist.' })
  const file = await readGguf(path)
  const { files, endTokens } = ggufTokenizer(file)
  const config = ggufConfig(file, await readRopeFactors(file), endTokens)
  const tensors = new Map(
    [...file.tensors.values()].filter(({ name }) => name !== ROPE_FACTORS).map(of => [huggingFaceName(of.name), of]),
  )
  checkShapes(config, tensors, path)
  await writeFolderAtomic(folder, async unfinished => {
    const hub = { ...formatDecoderConfig(config), torch_dtype: 'float32' }
    for (const [name, content] of Object.entries({ 'config.json': hub, ...files }))
      await writeFileAtomic(join(unfinished, name), Buffer.from(`${JSON.stringify(content, null, 2)}\n`))
    await checkTokenizer(unfinished, path, config)
    const write = (source: FileHandle) =>
      writeFileAtomic(join(unfinished, 'model.safetensors'), weights(source, path, config, tensors, options))
    await withRegularFile(path, write, file.state)
    const { known, signal } = options
    if (known && !(await sameContent(path, known, signal))) throw changedFile(path)
  })
}

/** @throws {ModelFileError} naming the GGUF file, which the operator knows. */
async function checkTokenizer(folder: string, path: string, config: DecoderConfig): Promise<void> {
  try {
    checkTokenizerFits(await PretrainedTokenizer.read(folder), config, 'tokenizer.json')
  } catch (cause) {
    if (!(cause instanceof ModelFileError)) throw cause
    throw new ModelFileError(path, `tokenizer: ${cause.field}`, cause.message.replace(/^.*?: .*?: |\.$/g, ''), {
      cause,
    })
  }
}

/** Heads have 1,024 elements at most, of which two share a factor. */
const MAX_ROPE_FACTORS = 512

async function readRopeFactors({ path, tensors, state }: GgufFile): Promise<Float32Array | null> {
  const factors = tensors.get(ROPE_FACTORS)
  if (!factors) return null
  if (factors.type.name !== 'F32' || factors.shape.length !== 1 || (factors.shape[0] as number) > MAX_ROPE_FACTORS)
    throw new ModelFileError(path, ROPE_FACTORS, `is not a list of ${MAX_ROPE_FACTORS} F32 at most`)
  const read = async (file: FileHandle) => {
    const parts: Uint8Array[] = []
    for await (const part of tensorBytes(file, path, factors, null)) parts.push(part)
    return new Float32Array(new Uint8Array(Buffer.concat(parts)).buffer)
  }
  return withRegularFile(path, read, state)
}

/** The bytes of `model.safetensors`. */
async function* weights(
  file: FileHandle,
  path: string,
  config: DecoderConfig,
  tensors: ReadonlyMap<string, GgufTensor>,
  { onProgress, signal }: ImportOptions,
): AsyncGenerator<Uint8Array> {
  const sizeOf = ({ shape, type }: GgufTensor) =>
    shape.reduce((product, length) => product * length, type.dtype === 'F32' ? 4 : 2)
  const total = [...tensors.values()].reduce((sum, tensor) => sum + sizeOf(tensor), 0)
  yield* encodeSafetensorsHeader(tensors, name => (tensors.get(name) as GgufTensor).type.dtype)
  let done = 0
  for (const name of [...tensors.keys()].sort()) {
    const tensor = tensors.get(name) as GgufTensor
    for await (const part of tensorBytes(file, path, tensor, headRows(config, tensor.name))) {
      signal?.throwIfAborted()
      yield part
      done += part.length
      onProgress?.(done / total)
    }
  }
}
