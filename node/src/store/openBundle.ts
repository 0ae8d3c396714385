import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { ContentId } from '#core/hashes.ts'

/** A payload on the disk that matches its id, read part by part: serving it to many peers takes the memory of parts, not of payloads. */
export type OpenBundle = {
  readonly bytes: number
  /** @throws if the file has become shorter. */
  read(from: number, to: number): Promise<Uint8Array>
  close(): Promise<void>
}

const STEP_BYTES = 256 * 1024

/** Returns null and closes the file if its first `bytes` bytes do not match the id. */
export async function openIntact(file: FileHandle, bytes: number, id: ContentId): Promise<OpenBundle | null> {
  const bundle: OpenBundle = {
    bytes,
    async read(from, to) {
      const part = new Uint8Array(to - from)
      const { bytesRead } = await file.read(part, 0, part.byteLength, from)
      if (bytesRead < part.byteLength) throw new Error(`${bytesRead} of ${part.byteLength} bytes were in the file`)
      return part
    },
    close: () => file.close(),
  }
  const isIntact = await hasId(bundle, id).catch(() => false)
  if (!isIntact) await bundle.close()
  return isIntact ? bundle : null
}

async function hasId({ bytes, read }: OpenBundle, id: ContentId): Promise<boolean> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes; at += STEP_BYTES) hash.update(await read(at, Math.min(bytes, at + STEP_BYTES)))
  return `0x${hash.digest('hex')}` === id
}
