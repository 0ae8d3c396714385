import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parquetMetadataAsync } from 'hyparquet'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { type DatasetUse, openDataset } from './openDataset.ts'
import { openFile } from './openFile.ts'
import { openParquet } from './openParquet.ts'
import { readRows } from './parquetTable.ts'
import { shuffledRows } from './shuffledRows.ts'
import { isFault, type ReadRow, type Table } from './table.ts'
import { type UnpackSpace, unpackFile } from './unpackFile.ts'

const golden = join(import.meta.dirname, 'golden')
const scratch = await mkdtemp(join(tmpdir(), 'waggle-datasets-'))
afterAll(() => rm(scratch, { recursive: true }))

const columns = ['task_id', 'text', 'code', 'test_list']
const start = { pass: 0, taken: 0 }
let files = 0

async function written(content: string | Uint8Array, name = 'rows.jsonl'): Promise<string> {
  const path = join(scratch, `${files++}-${name}`)
  await writeFile(path, content)
  return path
}

async function readAll(path: string, seed: string | null = null, from = start, wanted = columns): Promise<ReadRow[]> {
  const dataset = await openDataset(path, 'training')
  return taken(shuffledRows(dataset, wanted, seed, from)).finally(dataset.close)
}

async function taken(rows: AsyncIterable<ReadRow>): Promise<ReadRow[]> {
  const found: ReadRow[] = []
  for await (const row of rows) found.push(row)
  return found
}

const ids = (rows: readonly ReadRow[]) => rows.map(row => (isFault(row) ? row.reason : row.fields.task_id))
const mbppFiles = (await readdir(golden)).filter(name => name.startsWith('mbpp.'))

test.each(mbppFiles)("%s is read as pyarrow's writer was given it.", async name => {
  const file = await openFile(join(golden, name))
  const rows = await readRows(file, { from: 0, rows: 3 }, columns).finally(file.close)
  expect(rows).toHaveLength(3)
  expect(rows[1]).toEqual({
    file: name,
    row: 1,
    fields: {
      task_id: 602,
      text: 'Write a function to add 1 to a number. Bee 🐝.',
      code: 'def add_1(x):\r\n    return x + 1',
      test_list: ['assert add_1(0) == 1', 'assert add_1(1) == 2', 'assert add_1(2) == 3'],
    },
  })
})

test('Lists inside of a structure are read.', async () => {
  const [row] = await readAll(join(golden, 'contests.parquet'), null, start, ['name', 'private_tests', 'time_limit'])
  expect(row).toMatchObject({
    fields: {
      name: '1_A. Sum',
      private_tests: { input: ['0 0\n', '-5 5\n'], output: ['0\n', '0\n'] },
      time_limit: { seconds: 1n, nanos: 500000000n },
    },
  })
})

test('A pass gives each row once, in an order that follows from the seed and the pass, and resumes at any position.', async () => {
  const row = (at: number): ReadRow => ({ file: 'rows', row: at, fields: { task_id: 601 + at } })
  const table: Table = {
    ...{ file: 'rows', columns: null, rows: 10, parts: () => [4, 4, 2], close: async () => {} },
    readPart: async part => [0, 1, 2, 3].slice(0, part === 2 ? 2 : 4).map(at => row(4 * part + at)),
  }
  const dataset = { tables: [table] }
  const pass = async (seed: string | null, from = start) => ids(await taken(shuffledRows(dataset, columns, seed, from)))
  const all = await pass(null)
  expect(all).toEqual([601, 602, 603, 604, 605, 606, 607, 608, 609, 610])
  const first = await pass('bee')
  expect(first).not.toEqual(all)
  expect([...first].sort()).toEqual(all)
  expect(await pass('bee')).toEqual(first)
  expect(await pass('bee', { pass: 1, taken: 0 })).not.toEqual(first)
  for (let at = 0; at <= 10; at++) expect(await pass('bee', { pass: 0, taken: at })).toEqual(first.slice(at))
})

test.each([
  ['a byte order mark and CRLF', '\ufeff{"task_id":1}\r\n\r\n{"task_id":2}\r\n', [1, 2]],
  ['no last newline', '{"task_id":1}\n{"task_id":2}', [1, 2]],
  ['line separators inside of a text', '{"task_id":"a\u2028b"}\n', ['a\u2028b']],
  [
    'invalid rows',
    '{"task_id":1}\n{"task_id":\n[2]\nnull\n{"task_id":3}\n',
    [1, 'is not JSON', 'is not a JSON object', 'is not a JSON object', 3],
  ],
  ['deep nesting', `${'['.repeat(1 << 20)}\n{"task_id":1}\n`, ['is nested deeper than 64', 1]],
  [
    'a line of 9 MB',
    `{"task_id":1}\n{"text":"${'x'.repeat(9 << 20)}"}\n{"task_id":3}\n`,
    [1, 'line is longer than 8388608 bytes', 3],
  ],
])('JSON lines with %s are read where they are complete.', async (_, content, expected) => {
  expect(ids(await readAll(await written(content)))).toEqual(expected)
  expect(ids(await readAll(await written(gzipSync(content), 'rows.jsonl.gz')))).toEqual(expected)
})

test('A packed file is unpacked into a temporary one, up to a length, and nothing of it is left.', async () => {
  vi.stubEnv('TMPDIR', await mkdtemp(join(scratch, 'temporary-')))
  onTestFinished(() => void vi.unstubAllEnvs())
  const packed = await openFile(await written(gzipSync('0123456789'), 'rows.jsonl.gz'))
  const space = (bytes: number, diskBytes = 99) => ({ bytes, diskBytes })
  const file = await unpackFile(packed, space(10))
  expect([file.bytes, Buffer.from(await file.read(3, 4)).toString()]).toEqual([10, '3456'])
  await file.close()
  const failed = async (given: UnpackSpace) => (await unpackFile(packed, given).catch(error => error)).code
  expect(await failed(space(9))).toBe('DATASET_FILE')
  expect(await failed(space(99, 9))).toBe('DATASET_UNPACK')
  expect(await readdir(tmpdir())).toEqual([])
  vi.stubEnv('TMPDIR', join(scratch, 'none'))
  expect(await failed(space(10))).toBe('DATASET_UNPACK')
  await packed.close()
})

test('Packed files take no more together than a dataset may, and those that do not fit are named.', async () => {
  const folder = await mkdtemp(join(scratch, 'packed-'))
  const rows = '{"task_id":1}\n'
  for (const name of ['0', '1', '2', '3']) await writeFile(join(folder, `${name}.jsonl.gz`), gzipSync(rows))
  const dataset = await openDataset(folder, 'training', { bytes: 2 * rows.length + 1, diskBytes: 99 })
  await dataset.close()
  expect(dataset.tables.map(({ file }) => file)).toEqual(['0.jsonl.gz', '1.jsonl.gz'])
  // Refused files are counted too, or many long ones would be unpacked for nothing.
  const reason = (bytes: number) => expect.stringContaining(`more than the ${bytes} bytes that it may take`)
  expect(dataset.refused).toEqual([
    { file: '2.jsonl.gz', reason: reason(1) },
    { file: '3.jsonl.gz', reason: reason(0) },
  ])
  // A part of the tasks would be another dataset, of the same stamp.
  await expect(openDataset(folder, 'measuring', { bytes: 99, diskBytes: 2 * rows.length })).rejects.toMatchObject({
    code: 'DATASET_UNPACK',
    message: expect.stringContaining('2.jsonl.gz'),
  })
})

test('A dataset without packed files needs no temporary folder.', async () => {
  const path = await written('{"task_id":1}\n')
  vi.stubEnv('TMPDIR', join(scratch, 'none'))
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(ids(await readAll(path))).toEqual([1])
})

test('Lines without text leave the event loop its turns.', async () => {
  let now = 0
  // Each read of the time finds that a turn has lasted long enough.
  const reads = vi.spyOn(performance, 'now').mockImplementation(() => (now += 100))
  onTestFinished(() => reads.mockRestore())
  const dataset = await openDataset(await written(`{"task_id":1}${'\n'.repeat(1 << 17)}`), 'training')
  await dataset.close()
  expect(dataset.rows).toBe(1)
  expect(reads.mock.calls.length).toBeGreaterThan(128)
})

test('A file that is one JSON array is read row by row, and JSON lines of that ending are too.', async () => {
  const array = '\ufeff\n [{"task_id":1}, [2], null,\r\n{"task_id":4}]\n'
  const rows = await readAll(await written(array, 'rows.json'))
  expect(ids(rows)).toEqual([1, 'is not a JSON object', 'is not a JSON object', 4])
  expect(rows[1]).toMatchObject({ file: expect.stringMatching(/rows.json$/), row: 1 })
  expect(ids(await readAll(await written('{"task_id":1}\n{"task_id":2}\n', 'rows.json')))).toEqual([1, 2])
})

test('A fault names file, row and field.', async () => {
  const latin = await written(Buffer.from('{"task_id":1}\n{"text":"caf\xe9"}\n', 'latin1'))
  expect((await readAll(latin))[1]).toMatchObject({
    file: expect.stringMatching(/rows.jsonl$/),
    row: 1,
    reason: 'is not UTF-8',
  })
  const [first, second] = await readAll(join(golden, 'notUtf8.parquet'), null, start, ['id', 'text'])
  expect([first, second]).toMatchObject([
    { fields: { id: 'a', text: new Uint8Array([0xff, 0xfe]) } },
    { fields: { id: 'b', text: 'good' } },
  ])
})

/** A file whose footer claims other sizes of a column, in bytes: 1 GiB unpacked, unless given. */
async function claiming(column: string, claim = 2 ** 30, claimPacked?: number): Promise<string> {
  const bytes = await readFile(join(golden, 'mbpp.none.v1.parquet'))
  const { row_groups } = await parquetMetadataAsync(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  )
  const chunk = row_groups[0]?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column)?.meta_data
  const [said, packed] = [chunk?.total_uncompressed_size ?? 0n, chunk?.total_compressed_size ?? 0n].map(Number)
  // Fields of Thrift's compact protocol: type i64, then a zigzag number in groups of 7 bits.
  const at = bytes.indexOf(Buffer.from([...i64(said as number), ...i64(packed as number)]))
  const after = at + i64(said as number).length
  const told = [...i64(claim), ...i64(claimPacked ?? (packed as number))]
  const tail = bytes.subarray(after + i64(packed as number).length)
  const changed = Buffer.concat([bytes.subarray(0, at), Buffer.from(told), tail])
  changed.writeUInt32LE(changed.readUInt32LE(changed.length - 8) + changed.length - bytes.length, changed.length - 8)
  return written(changed, 'claims.parquet')
}

function i64(value: number): number[] {
  const groups = [(2 * value) & 127]
  for (let rest = Math.floor((2 * value) / 128); rest > 0; rest = Math.floor(rest / 128)) groups.push(rest & 127)
  return [0x16, ...groups.map((group, at) => (at < groups.length - 1 ? group | 128 : group))]
}

test('A column that is larger than what is read costs its rows where it is read, and nothing elsewhere.', async () => {
  expect(ids(await readAll(await claiming('challenge_test_list')))).toEqual([601, 602, 603])
  expect(await readAll(await claiming('text'))).toMatchObject([
    { row: 0, rows: 3, field: 'text', reason: 'takes more than 536870912 bytes of a row group' },
  ])
})

test('A footer is believed as far as the file goes: parts by its bytes, and no more packed bytes than it has.', async () => {
  const mebibytes = 2 ** 29 - 1
  const table = await openParquet(await claiming('text', mebibytes), { partBytes: 1_000 })
  expect(table.parts(['text'])).toEqual([1, 1, 1])
  const bytes = await readFile(join(golden, 'mbpp.none.v1.parquet'))
  const many = await openParquet(await claiming('text', mebibytes), { partBytes: bytes.length * 1_000 })
  expect(many.parts(['text'])).toEqual([3])
  await expect(openParquet(await claiming('text', 1_000, bytes.length + 1))).rejects.toMatchObject({
    message: expect.stringMatching(/^The footer of .* is damaged: columns of \d+ bytes in \d+\.$/),
  })
})

test('A file of lines that becomes shorter while it is read costs its rows.', async () => {
  const path = await written(`{"task_id":1}\n`.repeat(5_000), 'shorter.jsonl')
  const dataset = await openDataset(path, 'training')
  const rows = shuffledRows(dataset, columns, null, start)
  expect(await rows.next()).toMatchObject({ value: { row: 0, fields: { task_id: 1 } } })
  await truncate(path, 14 * 4_096)
  const rest = await taken(rows).finally(dataset.close)
  expect(rest.at(-1)).toMatchObject({
    row: 4_096,
    rows: 904,
    reason: expect.stringContaining('became shorter while it was read'),
  })
})

test('A row that is nested deeper than its reader goes is a fault.', async () => {
  const path = await written(`{"task_id":${'['.repeat(65)}${']'.repeat(65)}}\n{"task_id":2}\n`, 'nested.jsonl')
  expect(await readAll(path)).toMatchObject([
    { row: 0, reason: 'is nested deeper than 64' },
    { fields: { task_id: 2 } },
  ])
})

test('A pipe in a folder costs that file.', async () => {
  const folder = await mkdtemp(join(scratch, 'pipe-'))
  execFileSync('mkfifo', [join(folder, '0.jsonl')])
  await writeFile(join(folder, '1.jsonl'), '{"task_id":1}\n')
  const dataset = await openDataset(folder, 'training')
  await dataset.close()
  expect(dataset).toMatchObject({ rows: 1, refused: [{ file: '0.jsonl' }] })
})

test('A file of which few bytes come to more than fits in memory costs its rows.', async () => {
  const rows = await readAll(join(golden, 'repeated.parquet'), null, start, ['text', 'tests'])
  expect(rows).toMatchObject([
    { row: 0, rows: 1024, field: null, reason: '1024 rows have more than 268435456 characters' },
  ])
})

test('A large row group is read in parts, each with its own rows.', async () => {
  const table = await openParquet(join(golden, 'groups.parquet'), { partBytes: 200 })
  const parts = table.parts(columns)
  expect(parts.length).toBeGreaterThan(table.parts(['task_id']).length)
  const read = await Promise.all(parts.map((_, part) => table.readPart(part, columns)))
  expect(read.map(({ length }) => length)).toEqual(parts)
  expect(ids(read.flat())).toEqual([601, 602, 603, 604, 605, 606, 607, 608, 609, 610])
})

test('A damaged page costs its row group, names the column, and reading continues.', async () => {
  const bytes = await readFile(join(golden, 'groups.parquet'))
  const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
  const frames = [...bytes.keys()].filter(at => bytes.subarray(at, at + 4).equals(magic))
  bytes.fill(0, frames[0], (frames[0] as number) + 4)
  const rows = await readAll(await written(bytes, 'damaged.parquet'))
  expect(rows[0]).toMatchObject({ row: 0, rows: 4, field: 'task_id', reason: 'pages are damaged' })
  expect(ids(rows.slice(1))).toEqual([605, 606, 607, 608, 609, 610])
})

const groups = await readFile(join(golden, 'groups.parquet'))

test.each<[string, () => Promise<string>, string]>([
  ['a footer cut off', () => written(groups.subarray(0, -20), 'cut.parquet'), 'DATASET_FILE'],
  ['only a head', () => written('PAR1', 'head.parquet'), 'DATASET_FILE'],
  ['no bytes', () => written('', 'none.parquet'), 'DATASET_FILE'],
  ['no rows', async () => join(golden, 'empty.parquet'), 'DATASET_EMPTY'],
  ['blank lines', () => written('\n\r\n'), 'DATASET_EMPTY'],
  ['a damaged gzip file', () => written(gzipSync('{}').subarray(0, 15), 'x.jsonl.gz'), 'DATASET_FILE'],
  ['an array cut off', () => written('[{"task_id":1},', 'cut.json'), 'DATASET_FILE'],
  ['an array that is not UTF-8', () => written(Buffer.from('["caf\xe9"]', 'latin1'), 'latin.json'), 'DATASET_FILE'],
  ['deep nesting in an array', () => written('['.repeat(1 << 20), 'deep.json'), 'DATASET_FILE'],
  ['an array without rows', () => written('[]', 'none.json'), 'DATASET_EMPTY'],
  ['no file', async () => join(scratch, 'nothing'), 'DATASET_FILE'],
  ['a device', async () => '/dev/zero', 'DATASET_FILE'],
])('A dataset with %s is refused.', async (_, make, code) => {
  await expect(openDataset(await make(), 'training')).rejects.toMatchObject({ name: 'DatasetError', code })
})

test('A folder is read file by file, and a damaged file costs that file.', async () => {
  const folder = await mkdtemp(join(scratch, 'shards-'))
  await writeFile(join(folder, '0.parquet'), groups)
  await writeFile(join(folder, '1.parquet'), groups.subarray(0, -20))
  await writeFile(join(folder, '2.jsonl'), '{"task_id":1}\n')
  const dataset = await openDataset(folder, 'training')
  expect(dataset).toMatchObject({
    rows: 11,
    refused: [{ file: '1.parquet', reason: expect.stringContaining('footer') }],
  })
  await dataset.close()
})

test('Files of a folder are named by their paths in it: tables, rows and refusals.', async () => {
  const folder = await mkdtemp(join(scratch, 'folders-'))
  const [parquet, lines, cut] = ['a/0.parquet', 'b/0.jsonl', 'c/0.parquet'].map(name => join(name))
  for (const name of ['a', 'b', 'c']) await mkdir(join(folder, name))
  await writeFile(join(folder, parquet as string), groups)
  await writeFile(join(folder, lines as string), '{"task_id":1}\n[]\n')
  await writeFile(join(folder, cut as string), groups.subarray(0, -20))
  const dataset = await openDataset(folder, 'training')
  const rows = await taken(shuffledRows(dataset, columns, null, start)).finally(dataset.close)
  expect(dataset.tables.map(({ file }) => file)).toEqual([parquet, lines])
  expect(rows.map(({ file, row }) => `${file}:${row}`)).toEqual([
    ...Array.from({ length: 10 }, (_, row) => `${parquet}:${row}`),
    `${lines}:0`,
    `${lines}:1`,
  ])
  expect(dataset.refused).toEqual([{ file: cut, reason: expect.stringContaining(`The footer of ${cut} is damaged`) }])
})

const splits = ['full/train-00000-of-00001', 'full/test-00000-of-00001', 'full/prompt', 'contested', 'test/0', 'eval']

async function splitFolder(names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(scratch, 'splits-'))
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, `${name}.jsonl`), `{"task_id":"${name}"}\n`)
  }
  return folder
}

const opened = async (path: string, use: DatasetUse) => {
  const dataset = await openDataset(path, use)
  const found = ids(await taken(shuffledRows(dataset, columns, null, start)))
  await dataset.close()
  return { found: found.sort(), refused: dataset.refused }
}

test('A folder is learned from without its test splits, which are named, and measured by those alone.', async () => {
  const folder = await splitFolder(splits)
  const reason = 'is a test split, which is for measuring'
  expect(await opened(folder, 'training')).toEqual({
    found: ['contested', 'full/prompt', 'full/train-00000-of-00001'],
    refused: ['eval.jsonl', 'full/test-00000-of-00001.jsonl', 'test/0.jsonl'].map(file => ({
      file: join(file),
      reason,
    })),
  })
  expect(await opened(folder, 'measuring')).toEqual({
    found: ['eval', 'full/test-00000-of-00001', 'test/0'],
    refused: [],
  })
})

test('A folder of one use serves the other where nothing is held out, and a named file always.', async () => {
  const plain = await splitFolder(['a', 'b'])
  expect((await opened(plain, 'measuring')).found).toEqual(['a', 'b'])
  const held = await splitFolder(['test'])
  await expect(openDataset(held, 'training')).rejects.toMatchObject({
    code: 'DATASET_EMPTY',
    message: `${held} contains only test splits, which are for measuring.`,
  })
  expect((await opened(join(held, 'test.jsonl'), 'training')).found).toEqual(['test'])
})

test('The stamp of a dataset changes with each change of a file that is read, and with no other.', async () => {
  const folder = await splitFolder(['a/test', 'b/test', 'train'])
  const stamp = async () => {
    const dataset = await openDataset(folder, 'measuring')
    await dataset.close()
    return dataset.stamp
  }
  const stamps = [await stamp()]
  await writeFile(join(folder, 'train.jsonl'), '{}\n')
  expect(await stamp()).toBe(stamps[0])
  await utimes(join(folder, 'a/test.jsonl'), 1, 1)
  stamps.push(await stamp())
  await writeFile(join(folder, 'b/test.jsonl'), '{"task_id":"longer than before"}\n')
  stamps.push(await stamp())
  await writeFile(join(folder, 'test.jsonl'), '{}\n')
  stamps.push(await stamp())
  await rm(join(folder, 'a/test.jsonl'))
  stamps.push(await stamp())
  expect(new Set(stamps).size).toBe(5)
})

test('A file on which its reader hangs costs a group, after a while.', async () => {
  const bytes = await readFile(join(golden, 'mbpp.none.v2.parquet'))
  bytes[45] = (bytes[45] as number) ^ 0x10
  const table = await openParquet(await written(bytes, 'endless.parquet'), { timeoutMs: 3_000 })
  const [fault] = await table.readPart(0, columns)
  expect(fault).toMatchObject({ row: 0, rows: 3, reason: 'reading took longer than 3 s' })
})
