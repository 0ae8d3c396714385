import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { NodeError } from '#core/errors.ts'

/** A file that was not encrypted with this passphrase, or not whole. */
export class PassphraseFileError extends NodeError {
  override readonly code = 'PASSPHRASE_FILE'
}

/** 2^18 rounds of scrypt, as age takes: 256 MiB, and about a second a guess. */
const WORK_FACTOR = 18
/** More would let a file take gigabytes before its passphrase is known to be wrong. */
const MAX_WORK_FACTOR = 20
const CHUNK_BYTES = 65_536
const TAG_BYTES = 16
const MAX_HEADER_BYTES = 256
const HEADER =
  /^(age-encryption\.org\/v1\n-> scrypt ([A-Za-z0-9+/]{22}) ([1-9][0-9]?)\n([A-Za-z0-9+/]{43})\n---) ([A-Za-z0-9+/]{43})\n/

/**
 * Encrypts a stream with a passphrase, in version 1 of the age format: `age --decrypt` reads it too.
 *
 * @param workFactor - logarithm of scrypt's cost; fewer only where a test needs many files.
 * @see https://github.com/C2SP/C2SP/blob/main/age.md
 */
export async function* encryptWithPassphrase(
  plain: AsyncIterable<Uint8Array>,
  passphrase: string,
  workFactor = WORK_FACTOR,
): AsyncGenerator<Uint8Array> {
  const [fileKey, salt, nonce] = [randomBytes(16), randomBytes(16), randomBytes(16)]
  const wrapped = seal(await wrappingKey(passphrase, salt, workFactor), Buffer.alloc(12), fileKey)
  const header = `age-encryption.org/v1\n-> scrypt ${base64(salt)} ${workFactor}\n${base64(wrapped)}\n---`
  yield Buffer.from(`${header} ${base64(headerMac(fileKey, header))}\n`)
  yield nonce
  const key = derive(fileKey, nonce, 'payload')
  let index = 0
  for await (const { chunk, isLast } of chunksOf(plain)) yield seal(key, chunkNonce(index++, isLast), chunk)
}

/**
 * Decrypts a file of `encryptWithPassphrase`, or of `age --passphrase`. Each chunk is authenticated before it is given, and a file that was cut short throws at its end.
 *
 * @throws {PassphraseFileError} if it is another sort of file, the passphrase is another, or a byte of it was changed or lost.
 */
export async function* decryptWithPassphrase(file: FileHandle, passphrase: string): AsyncGenerator<Uint8Array> {
  const { size } = await file.stat()
  const start = await readAt(file, 0, Math.min(MAX_HEADER_BYTES, size))
  const { salt, workFactor, wrapped, text, mac } = parseHeader(start.toString('latin1'))
  const fileKey = unseal(await wrappingKey(passphrase, salt, workFactor), Buffer.alloc(12), wrapped)
  if (!fileKey)
    throw new PassphraseFileError('The passphrase is not the one of this file.', { hint: 'Try again with another.' })
  if (!timingSafeEqual(headerMac(fileKey, text), mac)) throw damaged()
  const from = text.length + 45
  const key = derive(fileKey, await readAt(file, from, 16), 'payload')
  for (let at = from + 16, index = 0; ; index++) {
    const sealed = await readAt(file, at, Math.min(CHUNK_BYTES + TAG_BYTES, size - at))
    at += sealed.length
    const chunk = unseal(key, chunkNonce(index, at === size), sealed)
    if (!chunk) throw damaged()
    yield chunk
    if (at === size) return
  }
}

function parseHeader(start: string) {
  const [whole, text = '', salt = '', workFactor = '', wrapped = '', mac = ''] = HEADER.exec(start) ?? []
  if (whole === undefined)
    throw new PassphraseFileError('The file is not one that was encrypted with a passphrase.', {
      hint: 'Name a file that npx waggle backup made.',
    })
  const bytes = (base: string) => Buffer.from(base, 'base64')
  if (Number(workFactor) > MAX_WORK_FACTOR)
    throw new PassphraseFileError(
      `The file asks for 2^${workFactor} rounds of scrypt, more than 2^${MAX_WORK_FACTOR}.`,
      {
        hint: 'Name a file that npx waggle backup made.',
      },
    )
  return { text, salt: bytes(salt), workFactor: Number(workFactor), wrapped: bytes(wrapped), mac: bytes(mac) }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(length, 0))
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw damaged()
    filled += bytesRead
  }
  return buffer
}

/** Full chunks but for the last, which is empty only where all is. */
async function* chunksOf(plain: AsyncIterable<Uint8Array>): AsyncGenerator<{ chunk: Uint8Array; isLast: boolean }> {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let filled = 0
  for await (const piece of plain)
    for (let at = 0; at < piece.length; ) {
      if (filled === CHUNK_BYTES) {
        yield { chunk, isLast: false }
        filled = 0
      }
      const part = piece.subarray(at, at + CHUNK_BYTES - filled)
      chunk.set(part, filled)
      filled += part.length
      at += part.length
    }
  yield { chunk: chunk.subarray(0, filled), isLast: true }
}

function wrappingKey(passphrase: string, salt: Uint8Array, workFactor: number): Promise<Buffer> {
  const [N, r] = [2 ** workFactor, 8]
  const labelled = Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt])
  const options = { N, r, p: 1, maxmem: 2 * 128 * N * r }
  return promisify<string, Uint8Array, number, object, Buffer>(scrypt)(passphrase, labelled, 32, options)
}

const derive = (fileKey: Uint8Array, salt: Uint8Array, info: string) =>
  Buffer.from(hkdfSync('sha256', fileKey, salt, info, 32))

const headerMac = (fileKey: Uint8Array, header: string) =>
  createHmac('sha256', derive(fileKey, Buffer.alloc(0), 'header'))
    .update(header)
    .digest()

/** 11 bytes of a counter, and one that says whether the chunk is the last: chunks cannot change places or be left out. */
function chunkNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

const CIPHER = 'chacha20-poly1305'

function seal(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Undefined where the tag is not that of the bytes. */
function unseal(key: Uint8Array, nonce: Uint8Array, sealed: Buffer): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = decipher.update(sealed.subarray(0, -TAG_BYTES))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    return undefined
  }
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const damaged = () =>
  new PassphraseFileError('The file is damaged, or was cut short.', { hint: 'Copy it again, or take another backup.' })
