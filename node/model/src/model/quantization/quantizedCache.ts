import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { NodeError } from '#base/errors.ts'
import { FolderError, makeFolder } from '#base/makeFolder.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { parameterCount } from '../decoder/decoderWeights.ts'
import { type FoundWeights, findWeights, requireTied } from '../decoder/weightFiles.ts'
import {
  COPY_FORMAT,
  type CopyManifest,
  type CopyTensor,
  readCopyManifest,
  sha256,
  writeCopyManifest,
} from '../files/copyManifest.ts'
import { type FileFingerprint, fingerprint, sameContent } from '../files/fileFingerprint.ts'
import { requireFinite } from '../files/requireFinite.ts'
import { readStoredTensors, type Tensor } from '../files/safetensors.ts'
import { ModelFileError } from '../modelErrors.ts'
import type { FrozenTensor, FrozenTensors } from './frozenTensors.ts'
import { BLOCK_SIZE, type QuantizedPrecision, quantizedTensors } from './quantizedTensors.ts'

export interface CacheOptions {
  /** Folder for quantised copies; `.waggle` in the model's folder by default. */
  readonly cacheFolder?: string | undefined
  /** Told the share that is done, 0 to 1, while a copy is made. */
  readonly onProgress?: ((done: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** ONNX Runtime maps each tensor where it lies; pages and vector loads want it aligned. */
const ALIGNMENT = 4096

/**
 * A model's quantised copy: made on the first call, read in place afterwards.
 *
 * The manifest is written last and has the hashes of the source files and of the copy. The copy is made again if the content of one of them
 * changes. Files that were not touched since they were hashed are not read again, so silent disk corruption is not detected.
 *
 * @throws {ModelFileError} if the model's files do not fit its configuration, or the cache folder cannot be written.
 */
export async function openQuantized(
  folder: string,
  config: DecoderConfig,
  precision: QuantizedPrecision,
  options: CacheOptions = {},
): Promise<FrozenTensors> {
  const found = await findWeights(folder, config)
  const cache = options.cacheFolder ?? join(await realpath(folder), '.waggle')
  const [data, manifest] = [join(cache, `${precision}.bin`), join(cache, `${precision}.json`)]
  const copy = { config, precision, ...found, data, manifest }
  const { tensors } = (await keptCopy(copy, options.signal)) ?? (await makeCopy(copy, options))
  const path = await realpath(data)
  const constants = new Map<string, FrozenTensor>()
  for (const { name, dtype, shape, offset } of tensors) constants.set(name, { dtype, shape, content: { path, offset } })
  return { precision, constants, blockSize: BLOCK_SIZE, isFused: () => true }
}

/** The manifest, if neither the copy nor the model has changed. */
async function keptCopy({ data, manifest, ...of }: Copy, signal: AbortSignal | undefined) {
  const known = await readCopyManifest(manifest)
  const paths = sourcesOf(of)
  if (known?.layout !== layoutOf(of) || known.sources.length !== paths.length) return undefined
  const found: FileFingerprint[] = []
  for (const [i, path] of [...paths, data].entries()) {
    const before = [...known.sources, known.data][i] as FileFingerprint
    const now = await sameContent(path, before, signal)
    if (now === undefined) return undefined
    found.push(now)
  }
  const current: CopyManifest = { ...known, sources: found.slice(0, -1), data: found.at(-1) as FileFingerprint }
  // The next call then need not read them. If the folder is not writable, only speed is lost.
  if (JSON.stringify(current) !== JSON.stringify(known))
    await writeCopyManifest(manifest, current).catch(() => undefined)
  return current
}

/** With a tied output layer, which is compared when the copy is made. */
const tensorsOf = ({ stored, output }: FoundWeights) => [...stored.values(), ...(output ? [output] : [])]

const sourcesOf = (found: FoundWeights) => [...new Set(tensorsOf(found).map(({ path }) => path))].sort()

function layoutOf(found: FoundWeights): string {
  const places = tensorsOf(found).map(({ path, state, ...place }) => [place.name, { ...place, file: basename(path) }])
  return sha256(JSON.stringify(places))
}

interface Copy extends FoundWeights {
  readonly config: DecoderConfig
  readonly precision: QuantizedPrecision
  readonly data: string
  readonly manifest: string
}

async function makeCopy(copy: Copy, { onProgress, signal }: CacheOptions): Promise<CopyManifest> {
  const { config, precision, stored, output, data, manifest } = copy
  if (output) await requireTied(output, stored)
  const temporary = `${data}.${process.pid}.${randomUUID()}.tmp`
  const file = await openIn(dirname(data), temporary)
  await removeLeftovers(data)
  try {
    onProgress?.(0)
    // Taken before the weights are read, so that the next call notices a change during the read.
    const sources: FileFingerprint[] = []
    for (const path of sourcesOf(copy)) sources.push(await fingerprint(path, signal))
    const total = parameterCount(config)
    let done = 0
    const read = async (names: readonly string[]) => {
      signal?.throwIfAborted()
      const wanted = names.flatMap(name => stored.get(name) ?? [])
      onProgress?.(Math.min(1, done / total))
      for (const { elements } of wanted) done += elements
      const found = await readStoredTensors(wanted)
      for (const { name, path } of wanted) requireFinite((found.get(name) as Tensor).data, name, path)
      return [...found.values()]
    }
    const tensors: CopyTensor[] = []
    let offset = 0
    for await (const [name, { dtype, shape, content }] of quantizedTensors(config, precision, read)) {
      tensors.push({ name, dtype: dtype as CopyTensor['dtype'], shape: [...shape], offset })
      await writeWhole(file, content, offset)
      offset = Math.ceil((offset + content.byteLength) / ALIGNMENT) * ALIGNMENT
    }
    await file.sync()
    await file.close()
    await rename(temporary, data)
    const made: CopyManifest = {
      format: COPY_FORMAT,
      layout: layoutOf(copy),
      sources,
      data: await fingerprint(data, signal),
      tensors,
    }
    await writeCopyManifest(manifest, made)
    onProgress?.(1)
    return made
  } catch (error) {
    await file.close().catch(() => undefined) // already closed if the rename failed
    await rm(temporary, { force: true })
    throw unwritable(dirname(data), error)
  }
}

/** A copy in progress grows every few seconds. After this time without growth, it is a leftover of a killed process. */
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

/** Translates a refusal of the system into an error that names the folder; returns any other error unchanged. */
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
