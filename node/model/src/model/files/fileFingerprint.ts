import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { z } from 'zod'

/** A file's content hash, and its metadata at that time. */
export const fingerprintSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  /** Inode and times in nanoseconds. Every write or replacement changes them: ctime cannot be set by hand. */
  state: z.string(),
})
export type FileFingerprint = z.infer<typeof fingerprintSchema>

/** Reads a file, to detect later changes. */
export async function fingerprint(path: string, signal?: AbortSignal): Promise<FileFingerprint> {
  const { bytes, state } = await describe(path) // taken before reading, so that a change meanwhile is detected next time
  return { sha256: await hashFile(path, signal), bytes, state }
}

/**
 * Whether a file's content is unchanged. It is read only if its metadata has changed.
 *
 * @returns the current fingerprint; undefined if the content has changed or the file is gone.
 */
export async function sameContent(
  path: string,
  known: FileFingerprint,
  signal?: AbortSignal,
): Promise<FileFingerprint | undefined> {
  const now = await describe(path).catch(() => undefined)
  if (now?.bytes !== known.bytes) return undefined
  if (now.state === known.state) return known
  const read = await fingerprint(path, signal)
  return read.sha256 === known.sha256 ? read : undefined
}

async function describe(path: string): Promise<Pick<FileFingerprint, 'bytes' | 'state'>> {
  const { size, ino, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
  return { bytes: Number(size), state: `${ino} ${mtimeNs} ${ctimeNs}` }
}

async function hashFile(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) {
    signal?.throwIfAborted()
    hash.update(part as Buffer)
  }
  return hash.digest('hex')
}
