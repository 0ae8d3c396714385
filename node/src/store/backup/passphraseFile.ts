import type { FileHandle } from 'node:fs/promises'
import { Decrypter, Encrypter } from 'age-encryption'
import { NodeError } from '#base/errors.ts'

/** A file was encrypted with another passphrase, or is incomplete. */
export class PassphraseFileError extends NodeError {
  override readonly code = 'PASSPHRASE_FILE'
}

/** 2^18 rounds of scrypt, age's default: 256 MiB, and about a second a guess. */
const WORK_FACTOR = 18
/** age-encryption refuses more: a file could take gigabytes before its passphrase is known to be wrong. */
const MAX_WORK_FACTOR = 20
const MAX_HEADER_BYTES = 256
/** One scrypt recipient, which no other recipient may accompany. Read first, so that no other file is parsed. */
const HEADER =
  /^age-encryption\.org\/v1\n-> scrypt [A-Za-z0-9+/]{22} ([1-9][0-9]?)\n[A-Za-z0-9+/]{43}\n--- [A-Za-z0-9+/]{43}\n/

/**
 * Encrypts a stream with a passphrase, in version 1 of the age format: `age --decrypt` reads it too.
 *
 * @param workFactor - base-2 logarithm of scrypt's cost; lower only where a test needs many files.
 * @see https://github.com/C2SP/C2SP/blob/main/age.md
 */
export async function* encryptWithPassphrase(
  plain: AsyncIterable<Uint8Array>,
  passphrase: string,
  workFactor = WORK_FACTOR,
): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(workFactor)
  yield* await encrypter.encrypt(ReadableStream.from(plain))
}

/**
 * Decrypts a file of `encryptWithPassphrase`, or of `age --passphrase`. Each chunk is authenticated before it is yielded, and a truncated file throws at its end.
 *
 * @throws {PassphraseFileError} if it is another kind of file, the passphrase is wrong, or a byte was changed or lost.
 */
export async function* decryptWithPassphrase(file: FileHandle, passphrase: string): AsyncGenerator<Uint8Array> {
  await checkHeader(file)
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    yield* await decrypter.decrypt(ReadableStream.from(file.createReadStream({ start: 0, autoClose: false })))
  } catch (cause) {
    if (/no identity matched/.test((cause as Error).message))
      throw new PassphraseFileError('The passphrase does not open this file.', { hint: 'Try another one.', cause })
    throw new PassphraseFileError('The file is damaged or truncated.', {
      hint: 'Copy it again, or take another backup.',
      cause,
    })
  }
}

async function checkHeader(file: FileHandle): Promise<void> {
  const start = Buffer.alloc(MAX_HEADER_BYTES)
  const { bytesRead } = await file.read(start, 0, MAX_HEADER_BYTES, 0)
  const [, workFactor] = HEADER.exec(start.toString('latin1', 0, bytesRead)) ?? []
  const hint = 'Name a file that npx waggle backup made.'
  if (workFactor === undefined)
    throw new PassphraseFileError('The file is not one that was encrypted with a passphrase.', { hint })
  if (Number(workFactor) > MAX_WORK_FACTOR)
    throw new PassphraseFileError(
      `The file asks for 2^${workFactor} rounds of scrypt, more than 2^${MAX_WORK_FACTOR}.`,
      { hint },
    )
}
