import { parseJson } from '#base/parseJson.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import { DatasetError } from './datasetError.ts'
import type { OpenFile } from './openFile.ts'
import { decodeUtf8, type ReadRow, type Table } from './table.ts'
import { type UnpackSpace, unpackFile } from './unpackFile.ts'

/** Rows are shuffled inside of a group, which is in memory as a whole. */
const GROUP_ROWS = 4096
const GROUP_BYTES = 1 << 24
/** Found between two turns of the event loop. */
const LINES_AT_ONCE = 1024
/** The longest rows, with hundreds of tests, have a few MB. */
const MAX_LINE_BYTES = 1 << 23
const READ_BYTES = 1 << 20

type Group = { readonly row: number; readonly rows: number; readonly from: number; readonly bytes: number }
type Bytes = Pick<OpenFile, 'bytes' | 'read'>

/**
 * Opens a file of JSON lines, or one packed by gzip. Lines end with LF or CRLF; blank ones and a byte order mark are skipped.
 *
 * @param space - loses what an unpacked file takes.
 * @throws {DatasetError} if a packed file is damaged or too long.
 */
export async function openJsonLines(file: OpenFile, space: UnpackSpace): Promise<Table> {
  if (!(await isPacked(file))) return tableOf(file)
  const unpacked = await unpackFile(file, space)
  await file.close()
  return tableOf(unpacked).catch(async error => {
    await unpacked.close()
    throw error
  })
}

async function tableOf(file: OpenFile): Promise<Table> {
  const { name } = file
  const groups = await findGroups(file)
  return {
    file: name,
    columns: null,
    rows: groups.reduce((sum, { rows }) => sum + rows, 0),
    parts: () => groups.map(({ rows }) => rows),
    readPart: part => readPart(file, name, groups[part] as Group),
    close: () => file.close(),
  }
}

/** One pass over the file: where groups of lines begin. A line that is too long is its own group. */
async function findGroups(file: Bytes): Promise<Group[]> {
  const groups: Group[] = []
  let [row, rows, from] = [0, 0, 0]
  const close = (end: number) => {
    if (rows > 0) groups.push({ row, rows, from, bytes: end - from })
    ;[row, rows, from] = [row + rows, 0, end]
  }
  const add = ({ start, end, isBlank }: Line) => {
    const isLong = end - start > MAX_LINE_BYTES
    if (rows >= GROUP_ROWS || end - from > GROUP_BYTES || isLong) close(start)
    if (!isBlank) rows += 1
    if (isLong) close(end)
  }
  for await (const lines of findLines(file)) lines.forEach(add)
  close(file.bytes)
  return groups
}

type Line = { readonly start: number; readonly end: number; readonly isBlank: boolean }

/** Lines in order, some at a time: a MiB may be a million blank ones. */
async function* findLines(file: Bytes): AsyncGenerator<readonly Line[]> {
  let [start, isBlank] = [0, true]
  let lines: Line[] = []
  for (let from = 0; from < file.bytes; from += READ_BYTES) {
    await yieldToEventLoop()
    const chunk = await file.read(from, Math.min(READ_BYTES, file.bytes - from))
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(10, at)
      const until = found < 0 ? chunk.length : found
      isBlank &&= isBlankText(chunk.subarray(at, until), from + at === 0)
      at = until + 1
      if (found < 0) break
      lines.push({ start, end: from + at, isBlank })
      ;[start, isBlank] = [from + at, true]
      if (lines.length < LINES_AT_ONCE) continue
      await yieldToEventLoop()
      yield lines
      lines = []
    }
  }
  if (start < file.bytes) lines.push({ start, end: file.bytes, isBlank })
  yield lines
}

function isBlankText(bytes: Uint8Array, isFirst: boolean): boolean {
  for (const byte of withoutMark(bytes, isFirst)) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  return true
}

/** UTF-8's byte order mark, which some editors write before the first line. */
function withoutMark(bytes: Uint8Array, isFirst: boolean): Uint8Array {
  const hasMark = isFirst && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

/** A file that has become shorter meanwhile loses the group, as one with a damaged page does. */
async function readPart(file: Bytes, name: string, group: Group): Promise<ReadRow[]> {
  try {
    return await readRows(file, name, group)
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error
    return [{ ...fault(name, group.row, error.message), rows: group.rows }]
  }
}

async function readRows(file: Bytes, name: string, { row, rows, from, bytes }: Group): Promise<ReadRow[]> {
  if (rows === 1 && bytes > GROUP_BYTES) return [fault(name, row, `line is longer than ${MAX_LINE_BYTES} bytes`)]
  const block = await file.read(from, bytes)
  const found: ReadRow[] = []
  for (let at = 0; at < bytes; ) {
    const newline = block.indexOf(10, at)
    const until = newline < 0 ? bytes : newline
    const line = withoutMark(block.subarray(at, until), from + at === 0)
    at = until + 1
    await yieldToEventLoop()
    if (!isBlankText(line, false)) found.push(readRow(line, name, row + found.length))
  }
  return found
}

function readRow(line: Uint8Array, file: string, row: number): ReadRow {
  if (line.length > MAX_LINE_BYTES) return fault(file, row, `line is longer than ${MAX_LINE_BYTES} bytes`)
  const text = decodeUtf8(line)
  if (typeof text !== 'string') return fault(file, row, 'is not UTF-8')
  try {
    const fields = parseJson(text, problem => new RowError(problem))
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
      return { file, row, fields: fields as Record<string, unknown> }
    return fault(file, row, 'is not a JSON object')
  } catch (error) {
    if (!(error instanceof RowError)) throw error
    return fault(file, row, error.message)
  }
}

class RowError extends Error {}

const fault = (file: string, row: number, reason: string): ReadRow => ({ file, row, rows: 1, field: null, reason })

async function isPacked(file: OpenFile): Promise<boolean> {
  const [first, second] = await file.read(0, Math.min(2, file.bytes))
  return first === 0x1f && second === 0x8b
}
