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

/**
 * Returns null and closes the file if its first `bytes` bytes do not match the id.
 *
 * @throws what a read throws, after closing: it says nothing about the bytes.
 */
export async function openIntact(file: FileHandle, bytes: number, id: ContentId): Promise<OpenBundle | null> {
  let isIntact = false
  try {
    isIntact = await hasId(file, bytes, id)
  } finally {
    if (!isIntact) await file.close()
  }
  if (!isIntact) return null
  return {
    bytes,
    async read(from, to) {
      const part = new Uint8Array(to - from)
      const { bytesRead } = await file.read(part, 0, part.byteLength, from)
      if (bytesRead < part.byteLength) throw new Error(`${bytesRead} of ${part.byteLength} bytes were in the file`)
      return part
    },
    close: () => file.close(),
  }
}

async function hasId(file: FileHandle, bytes: number, id: ContentId): Promise<boolean> {
  const hash = createHash('sha256')
  const part = new Uint8Array(Math.min(STEP_BYTES, bytes))
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(part, 0, Math.min(part.byteLength, bytes - at), at)
    if (bytesRead === 0) return false
    hash.update(part.subarray(0, bytesRead))
    at += bytesRead
  }
  return `0x${hash.digest('hex')}` === id
}
