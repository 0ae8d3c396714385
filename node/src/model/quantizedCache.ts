import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { NodeError } from '#core/errors.ts'
import { FolderError, makeFolder } from '#core/makeFolder.ts'
import { writeFileAtomic } from './atomicFile.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { parameterCount } from './decoderWeights.ts'
import type { FrozenTensor, FrozenTensors } from './frozenTensors.ts'
import { readJsonFile } from './jsonFile.ts'
import { ModelFileError } from './modelErrors.ts'
import { BLOCK_SIZE, type QuantizedPrecision, quantizedTensors } from './quantizedTensors.ts'
import { readStoredTensors, type StoredTensor } from './safetensors.ts'
import { locateWeights } from './weightFiles.ts'

export interface CacheOptions {
  /** Where quantised copies are kept; `.waggle` in the model's folder by default. */
  readonly cacheFolder?: string | undefined
  /** Told the share that is done, 0 to 1, while a copy is made. */
  readonly onProgress?: ((done: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Raised when the tensors of a copy change, so that old ones are made again. */
const FORMAT = 2

/** ONNX Runtime maps each tensor where it lies; pages and vector loads want it aligned. */
const ALIGNMENT = 4096

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  source: z.string(),
  tensors: z.array(
    z.object({
      name: z.string(),
      dtype: z.enum(['i8', 'u8', 'f32']),
      shape: z.array(z.int().min(1)),
      offset: z.int().min(0),
    }),
  ),
})

/**
 * A model's quantised copy, made at the first asking: from then on it is read in place.
 *
 * The manifest is written last and names the files that the copy was made of, with their sizes and times: a copy that was
 * cut short or lost, or whose model has changed, is made again.
 *
 * @throws {ModelFileError} if the model's files do not fit its configuration, or the cache folder cannot be written.
 */
export async function openQuantized(
  folder: string,
  config: DecoderConfig,
  precision: QuantizedPrecision,
  options: CacheOptions = {},
): Promise<FrozenTensors> {
  const stored = await locateWeights(folder, config)
  const source = await describeSource(stored)
  const cache = options.cacheFolder ?? join(await realpath(folder), '.waggle')
  const [data, manifest] = [join(cache, `${precision}.bin`), join(cache, `${precision}.json`)]
  const known = await readManifest(manifest, source)
  const isWhole = known !== undefined && (await sizeOf(data)) === bytesOf(known)
  const tensors = isWhole ? known : await makeCopy({ config, precision, stored, source, data, manifest }, options)
  const path = await realpath(data)
  const constants = new Map<string, FrozenTensor>()
  for (const { name, dtype, shape, offset } of tensors) constants.set(name, { dtype, shape, content: { path, offset } })
  return { precision, constants, blockSize: BLOCK_SIZE, isFused: () => true }
}

type ManifestTensor = z.infer<typeof manifestSchema>['tensors'][number]

async function readManifest(path: string, source: string): Promise<ManifestTensor[] | undefined> {
  const content = await readJsonFile(path, 8 << 20).catch(() => undefined)
  const parsed = manifestSchema.safeParse(content)
  return parsed.success && parsed.data.source === source ? parsed.data.tensors : undefined
}

const ELEMENT_BYTES = { i8: 1, u8: 1, f32: 4 } as const

/** Bytes of the file that a manifest speaks of. */
function bytesOf(tensors: readonly ManifestTensor[]): number {
  return tensors.reduce((most, { dtype, shape, offset }) => {
    const elements = shape.reduce((product, length) => product * length, 1)
    return Math.max(most, offset + ELEMENT_BYTES[dtype] * elements)
  }, 0)
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size
}

/** The files that weights come from: name, bytes and time of each. */
async function describeSource(stored: ReadonlyMap<string, StoredTensor>): Promise<string> {
  const paths = [...new Set([...stored.values()].map(({ path }) => path))].sort()
  const parts = await Promise.all(
    paths.map(async path => {
      const { size, mtimeMs } = await stat(path)
      return `${basename(path)} ${size} ${mtimeMs}`
    }),
  )
  return parts.join('; ')
}

interface Copy {
  readonly config: DecoderConfig
  readonly precision: QuantizedPrecision
  readonly stored: ReadonlyMap<string, StoredTensor>
  readonly source: string
  readonly data: string
  readonly manifest: string
}

async function makeCopy(copy: Copy, { onProgress, signal }: CacheOptions): Promise<ManifestTensor[]> {
  const { config, precision, stored, source, data, manifest } = copy
  const temporary = `${data}.${process.pid}.tmp`
  const file = await openIn(dirname(data), temporary)
  await removeLeftovers(data)
  try {
    const total = parameterCount(config)
    let done = 0
    const read = async (names: readonly string[]) => {
      signal?.throwIfAborted()
      const wanted = names.flatMap(name => stored.get(name) ?? [])
      onProgress?.(Math.min(1, done / total))
      for (const { elements } of wanted) done += elements
      return [...(await readStoredTensors(wanted)).values()]
    }
    const tensors: ManifestTensor[] = []
    let offset = 0
    for await (const [name, { dtype, shape, content }] of quantizedTensors(config, precision, read)) {
      tensors.push({ name, dtype: dtype as ManifestTensor['dtype'], shape: [...shape], offset })
      await writeWhole(file, content, offset)
      offset = Math.ceil((offset + content.byteLength) / ALIGNMENT) * ALIGNMENT
    }
    await file.sync()
    await file.close()
    await rename(temporary, data)
    await writeFileAtomic(manifest, Buffer.from(JSON.stringify({ format: FORMAT, source, tensors })))
    onProgress?.(1)
    return tensors
  } catch (error) {
    await file.close().catch(() => undefined) // already closed if the rename failed
    await rm(temporary, { force: true })
    throw unwritable(dirname(data), error)
  }
}

/** A copy that is being made grows every few seconds: one that has not for so long was left by a process that was killed. */
const LEFT_MS = 3_600_000

async function removeLeftovers(data: string): Promise<void> {
  for (const name of await readdir(dirname(data))) {
    if (!name.startsWith(`${basename(data)}.`) || !name.endsWith('.tmp')) continue
    const path = join(dirname(data), name)
    const found = await stat(path).catch(() => null) // another process may have been faster
    if (found && Date.now() - found.mtimeMs > LEFT_MS) await rm(path, { force: true })
  }
}

async function openIn(folder: string, path: string): Promise<FileHandle> {
  try {
    makeFolder(folder)
    return await open(path, 'w')
  } catch (error) {
    throw unwritable(folder, error)
  }
}

/** What the system refuses, by the folder that it is about; any other error as it is. */
function unwritable(folder: string, failure: unknown): unknown {
  const error = failure instanceof FolderError ? failure.cause : failure
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof NodeError || !/^E[A-Z]+$/.test(String(code))) return error
  return new ModelFileError(folder, 'file', `cannot be written (${code})`, {
    hint: 'A quantised copy needs as many bytes as the model has parameters. Name another folder for it with --cache.',
    cause: error,
  })
}

async function writeWhole(file: FileHandle, content: ArrayBufferView, position: number): Promise<void> {
  const bytes = new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, Math.min(bytes.length - done, 2 ** 30), position + done)
    done += bytesWritten
  }
}
