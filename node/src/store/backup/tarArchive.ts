import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NodeError } from '#core/errors.ts'

/** An archive that holds something other than plain files and folders of one folder. */
export class ArchiveError extends NodeError {
  override readonly code = 'ARCHIVE'
}

/** A file, or a folder where there is no content. */
export interface ArchiveEntry {
  /** Segments by `/`, below the archive's folder. A folder comes before what is in it. */
  readonly path: string
  readonly mode: number
  readonly modifiedSec: number
  readonly file?: { readonly size: number; readonly content: AsyncIterable<Uint8Array> }
}

const BLOCK = 512
/** A peer's folder holds some hundred entries. */
const MAX_ENTRIES = 100_000
/** Of twelve bytes, eleven are digits of base eight. */
const MAX_OCTAL = 8 ** 11

/** Packs entries as a POSIX tar archive (ustar; sizes from 8 GiB on in GNU's form). */
export async function* packArchive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield headerOf(entry)
    if (!entry.file) continue
    let rest = entry.file.size
    for await (const bytes of entry.file.content) {
      rest -= bytes.length
      yield bytes
    }
    if (rest !== 0)
      throw new ArchiveError(`${entry.path} changed its size while it was read.`, { hint: 'Run the command again.' })
    yield Buffer.alloc(paddingOf(entry.file.size))
  }
  yield Buffer.alloc(2 * BLOCK)
}

/**
 * Writes what an archive holds into an empty folder. What is there when it throws is the caller's to delete.
 *
 * It takes what `packArchive` writes and nothing else: no link, no path out of the folder, nothing twice.
 *
 * @throws {ArchiveError} if the archive holds anything else, or ends early.
 */
export async function unpackArchive(archive: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const bytes = new ByteReader(archive)
  for (let entries = 0; ; entries++) {
    const header = await bytes.take(BLOCK)
    if (header.every(byte => byte === 0)) break
    if (entries === MAX_ENTRIES) throw refused(`more than ${MAX_ENTRIES} entries`)
    await unpackEntry(parseHeader(header), bytes, folder)
  }
  // To its end: only there is it known that nothing was cut off.
  for (let rest = await bytes.some(BLOCK); rest.length > 0; rest = await bytes.some(BLOCK))
    if (rest.some(byte => byte !== 0)) throw refused('something after its end')
}

async function unpackEntry(entry: Header, bytes: ByteReader, folder: string): Promise<void> {
  const path = join(folder, entry.path)
  try {
    if (entry.isFolder) return void (await mkdir(path, { mode: entry.mode | 0o700 }))
    const file = await open(path, 'wx', entry.mode)
    try {
      for (let rest = entry.size; rest > 0; ) {
        const part = await bytes.some(rest)
        if (part.length === 0) throw refused('less than it says')
        await file.writeFile(part)
        rest -= part.length
      }
      await file.utimes(entry.modifiedSec, entry.modifiedSec)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EEXIST') throw refused(`'${entry.path}' twice`)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw refused(`'${entry.path}' without its folder ${dirname(entry.path)}`)
    throw error
  }
  await bytes.take(paddingOf(entry.size))
}

interface Header {
  readonly path: string
  readonly mode: number
  readonly modifiedSec: number
  readonly size: number
  readonly isFolder: boolean
}

/** Name, mode, owner, group, size, time, checksum, type; then magic and prefix, as POSIX.1-1988 has them. */
function headerOf({ path, mode, modifiedSec, file }: ArchiveEntry): Buffer {
  const header = Buffer.alloc(BLOCK)
  const [prefix, name] = splitPath(path)
  header.write(name, 0)
  header.write(octal(mode & 0o777, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  const size = file?.size ?? 0
  if (size < MAX_OCTAL) header.write(octal(size, 11), 124)
  else header.writeUIntBE(size, header.writeUInt8(0x80, 124) + 5, 6)
  header.write(octal(Math.max(0, Math.floor(modifiedSec)), 11), 136)
  header.write(file ? '0' : '5', 156)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  header.write(`${octal(checksumOf(header), 6)} `, 148)
  return header
}

function parseHeader(header: Buffer): Header {
  if (number(header, 148, 8) !== checksumOf(header)) throw refused('a damaged header')
  if (header.toString('latin1', 257, 262) !== 'ustar') throw refused('a header of another format')
  const prefix = text(header, 345, 155)
  const path = prefix === '' ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`
  const plain = path.endsWith('/') ? path.slice(0, -1) : path
  const type = header.toString('latin1', 156, 157)
  if (type !== '0' && type !== '5') throw refused(`'${shown(plain)}', which is neither a file nor a folder`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  const isSafe = plain.split('/').every(name => !/^(|\.|\.\.)$|[\\\u0000-\u001f\u007f]/.test(name))
  if (!isSafe) throw refused(`the path '${shown(plain)}'`)
  const isFolder = type === '5'
  const size = number(header, 124, 12)
  if (isFolder && size > 0) throw refused('a folder that has a size')
  return { path: plain, mode: number(header, 100, 8) & 0o777, modifiedSec: number(header, 136, 12), size, isFolder }
}

/** A name has 100 bytes and the folders before it 155. */
function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  const at = path.indexOf('/', path.length - 101)
  const [prefix, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)]
  if (at > 0 && Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name]
  throw new ArchiveError(`The path ${path} is too long for an archive.`, { hint: 'Move it out of the folder.' })
}

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
const paddingOf = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK
const text = (header: Buffer, at: number, length: number) => {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

function number(header: Buffer, at: number, length: number): number {
  if (length === 12 && header[at] === 0x80) return header.readUIntBE(at + 6, 6)
  const digits = text(header, at, length).trim()
  if (!/^[0-7]{1,11}$/.test(digits)) throw refused('a damaged header')
  return Number.parseInt(digits, 8)
}

/** The sum of a header's bytes, the checksum's own eight as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 32
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}

/** Bytes of a stream, as many at a time as are asked for. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Up to `most` bytes; none at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next()
      if (done) return this.#rest
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.length)
    }
    const taken = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(taken.length)
    return taken
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let rest = length; rest > 0; ) {
      const part = await this.some(rest)
      if (part.length === 0) throw refused('less than it says')
      parts.push(part)
      rest -= part.length
    }
    return Buffer.concat(parts)
  }
}

const shown = (path: string) => path.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)

const refused = (what: string) =>
  new ArchiveError(`The archive holds ${what}.`, { hint: 'Restore a file that npx waggle backup made.' })
