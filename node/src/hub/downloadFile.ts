import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import type { RemoteFile, RemoteModel } from './listModel.ts'

/** Retry delays, reset by an attempt that made progress. */
const RETRY_MS = [500, 2_000, 8_000, 20_000] as const
/** A connection without data for this long is closed, and the download continues on another. */
const STALL_MS = 60_000

/**
 * Downloads one file to a folder. It resumes from an earlier run's `NAME.part`; the final name appears once all bytes are checked.
 *
 * @param received - called with the number of received bytes, including those already in the part.
 * @throws {HubError}
 */
export async function downloadFile(
  client: HubClient,
  model: RemoteModel,
  file: RemoteFile,
  folder: string,
  received: (bytes: number) => void,
): Promise<void> {
  const path = join(folder, file.name)
  await onDisk(file, async () => makeFolder(dirname(path)))
  if ((await sizeOf(path)) === file.bytes) return received(file.bytes)
  const part = `${path}.part`
  const partBytes = async () => (await sizeOf(part)) ?? 0
  if ((await partBytes()) > file.bytes) await rm(part, { force: true })
  for (let attempt = 0; ; attempt++) {
    const before = Math.min(await partBytes(), file.bytes)
    try {
      await fill(client, model, file, part, received)
      break
    } catch (error) {
      if (!(error instanceof HubError && error.retryable)) throw error
      if ((await partBytes()) > before) attempt = 0
      const waitMs = RETRY_MS[attempt]
      if (waitMs === undefined) throw error
      await client.clock.sleep(waitMs, client.signal)
    }
  }
  const hash = gitOrSha256(file)
  for await (const chunk of createReadStream(part)) {
    client.signal?.throwIfAborted()
    hash.update(chunk)
  }
  if (hash.digest('hex') !== file.checksum.hex) {
    await rm(part, { force: true })
    throw new HubError('HUB_CHECKSUM', `${file.name} of ${model.repo} differs from its hash on the hub.`)
  }
  await rename(part, path)
}

/** Appends what is missing of a part. */
async function fill(
  client: HubClient,
  { kind, repo, commit }: RemoteModel,
  file: RemoteFile,
  part: string,
  received: (bytes: number) => void,
): Promise<void> {
  const out = await onDisk(file, () => open(part, 'a'))
  try {
    let at = (await out.stat()).size
    received(at)
    if (at === file.bytes) return
    const target = `${kind === 'datasets' ? 'datasets/' : ''}${repo}/resolve/${commit}/${file.name.split('/').map(encodeURIComponent).join('/')}`
    const response = await client.send(target, { headers: { range: `bytes=${at}-`, 'accept-encoding': 'identity' } })
    const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]
    if (at > 0 && (response.status !== 206 || Number(start) !== at)) {
      // The server ignores the range and sends the whole file.
      await onDisk(file, () => out.truncate(0))
      received(-at)
      at = 0
    }
    await append(client, response, file, out, at, received)
    await out.sync()
  } finally {
    await out.close()
  }
}

async function append(
  { signal }: HubClient,
  response: Response,
  file: RemoteFile,
  out: FileHandle,
  from: number,
  received: (bytes: number) => void,
): Promise<void> {
  const reader = response.body?.getReader()
  if (!reader) throw new HubError('HUB_OFFLINE', `${file.name} came without content.`)
  let at = from
  try {
    for (;;) {
      const { value } = await readSoon(reader, signal)
      if (value === undefined) break
      at += value.length
      if (at > file.bytes) throw new HubError('HUB_CHECKSUM', `${file.name} is longer than the hub said.`)
      await onDisk(file, () => out.appendFile(value))
      received(value.length)
    }
  } catch (cause) {
    await reader.cancel().catch(() => undefined)
    if (cause instanceof HubError) throw cause
    signal?.throwIfAborted()
    throw new HubError('HUB_OFFLINE', `The connection broke at ${at} of ${file.bytes} bytes of ${file.name}.`, cause)
  }
  if (at < file.bytes) throw new HubError('HUB_OFFLINE', `${file.name} ended at ${at} of ${file.bytes} bytes.`)
}

/** The next bytes; rejects if none arrive in time or the signal is aborted. */
async function readSoon(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal | undefined) {
  const { promise, reject } = Promise.withResolvers<never>()
  const stalled = setTimeout(() => reject(new Error(`no byte for ${STALL_MS} ms`)), STALL_MS)
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    return await Promise.race([reader.read(), promise])
  } finally {
    clearTimeout(stalled)
    signal?.removeEventListener('abort', abort)
  }
}

async function onDisk<T>({ name }: RemoteFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : message
    throw new HubError('HUB_DISK', `${name} cannot be written: ${reason}.`, cause)
  }
}

/** A git blob is named by the hash of a header and its content. */
function gitOrSha256({ checksum, bytes }: RemoteFile): Hash {
  if (checksum.kind === 'sha256') return createHash('sha256')
  return createHash('sha1').update(`blob ${bytes}\0`)
}

/** In bytes; null without a file, which differs from an empty one. */
export async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  )
}
