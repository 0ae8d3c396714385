import { once } from 'node:events'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, extract, type Headers, type Pack, pack } from 'tar-stream'
import { NodeError } from '#base/errors.ts'

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

/** A peer's folder holds some hundred entries. */
const MAX_ENTRIES = 100_000

/** Packs entries as a POSIX tar archive. */
export async function* packArchive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  const archive = pack()
  const packed = packEntries(archive, entries).catch(error => {
    archive.destroy(error)
    throw error
  })
  packed.catch(() => {}) // It is awaited below, once the archive ends.
  yield* archive
  await packed
}

async function packEntries(archive: Pack, entries: AsyncIterable<ArchiveEntry>): Promise<void> {
  for await (const { path, mode, modifiedSec, file } of entries) {
    const header = { name: path, mode: mode & 0o777, mtime: new Date(modifiedSec * 1000) }
    if (!file) {
      archive.entry({ ...header, type: 'directory' })
      continue
    }
    const sink = archive.entry({ ...header, type: 'file', size: file.size })
    const closed = once(sink, 'close')
    let rest = file.size
    for await (const bytes of file.content) {
      rest -= bytes.length
      if (rest < 0) break
      if (!sink.write(bytes)) await once(sink, 'drain')
    }
    if (rest !== 0)
      throw new ArchiveError(`${path} changed its size while it was read.`, { hint: 'Run the command again.' })
    sink.end()
    await closed
  }
  archive.finalize()
}

/**
 * Extracts an archive into an empty folder; after an error the caller deletes it. Accepts plain files and folders only: no links, no
 * paths out of the folder, no duplicates.
 *
 * @throws {ArchiveError} if the archive holds anything else, or ends early.
 */
export async function unpackArchive(archive: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const reader = extract()
  const read = pipeline(Readable.from(archive), reader)
  const unpacked = unpackEntries(reader, folder)
  const [fed, written] = await Promise.allSettled([read, unpacked])
  // A fault of either side ends the other, whose own error is only that its stream was destroyed.
  const faults = [written, fed].flatMap(one => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : []))
  const fault = faults.find(({ code }) => code !== 'STREAM_DESTROYED') ?? faults[0]
  if (fault) throw archiveFault(fault)
}

async function unpackEntries(reader: AsyncIterable<Entry>, folder: string): Promise<void> {
  let entries = 0
  for await (const entry of reader) {
    if (++entries > MAX_ENTRIES) throw refused(`more than ${MAX_ENTRIES} entries`)
    const path = safePath(entry.header)
    try {
      await unpackEntry(entry, join(folder, path))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') throw refused(`'${path}' twice`)
      if (code === 'ENOENT' || code === 'ENOTDIR') throw refused(`'${path}' without its folder ${dirname(path)}`)
      throw error
    }
  }
}

async function unpackEntry(entry: Entry, path: string): Promise<void> {
  const mode = (entry.header.mode ?? 0o600) & 0o777
  if (entry.header.type === 'directory') {
    await mkdir(path, { mode: mode | 0o700 })
    entry.resume()
    return
  }
  const file = await open(path, 'wx', mode)
  try {
    for await (const part of entry) await file.writeFile(part)
    if (entry.header.mtime) await file.utimes(entry.header.mtime, entry.header.mtime)
    await file.sync()
  } finally {
    await file.close()
  }
}

function safePath({ name, type }: Headers): string {
  const path = name.endsWith('/') ? name.slice(0, -1) : name
  if (type !== 'file' && type !== 'directory') throw refused(`'${shown(path)}', which is neither a file nor a folder`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  const isSafe = path.split('/').every(part => !/^(|\.|\.\.)$|[\\\u0000-\u001f\u007f]/.test(part))
  if (!isSafe) throw refused(`the path '${shown(path)}'`)
  return path
}

/** tar-stream's errors have no codes. */
function archiveFault(error: Error): Error {
  if (/^Invalid (tar )?header|^Header exceeds/.test(error.message)) return refused('a damaged header')
  if (/^Unexpected end of data/.test(error.message)) return refused('less than it says')
  return error
}

const shown = (path: string) => path.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)

const refused = (what: string) =>
  new ArchiveError(`The archive contains ${what}.`, { hint: 'Restore a file that npx waggle backup made.' })
