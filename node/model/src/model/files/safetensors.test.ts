import { appendFileSync } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { ModelFileError } from '../modelErrors.ts'
import {
  encodeSafetensors,
  encodeSafetensorsHeader,
  readSafetensors,
  readStoredTensors,
  type StoredTensor,
  scanSafetensors,
  type Tensor,
  visitStoredTensor,
  writeSafetensors,
} from './safetensors.ts'

const folder = await mkdtemp(join(tmpdir(), 'waggle-safetensors-'))
afterAll(() => rm(folder, { recursive: true }))

let files = 0
async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(folder, `${files++}.safetensors`)
  await writeFile(path, bytes)
  return path
}

/** A file with this header and as many data bytes. */
function fileWith(header: unknown, dataBytes: number, claimed?: bigint): Promise<string> {
  const json = typeof header === 'string' ? header : JSON.stringify(header)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(claimed ?? BigInt(Buffer.byteLength(json)))
  return fileOf(Buffer.concat([length, Buffer.from(json), Buffer.alloc(dataBytes)]))
}

const tensors = fc
  .dictionary(
    fc.string({ minLength: 1 }).filter(name => name !== '__metadata__' && name !== '__proto__'),
    fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
  )
  .chain(shapes => fc.record({ shapes: fc.constant(shapes), fill: fc.float({ noNaN: true }) }))
  .map(({ shapes, fill }) => {
    const tensorOf = (shape: number[]): Tensor => {
      const elements = shape.reduce((a, b) => a * b, 1)
      return { shape, data: Float32Array.from({ length: elements }, (_, i) => fill + i) }
    }
    return new Map(Object.entries(shapes).map(([name, shape]) => [name, tensorOf(shape)]))
  })

test('any tensors come back from F32, and reading and writing is canonical', async () => {
  await fc.assert(
    fc.asyncProperty(tensors, async written => {
      const path = join(folder, 'property.safetensors')
      await writeSafetensors(path, written, 'F32')
      const read = await readSafetensors(path)
      expect([...read].sort()).toEqual([...written].sort())
      expect(Buffer.concat(encodeSafetensors(read, 'F32'))).toEqual(await readFile(path))
    }),
    { numRuns: 40 },
  )
})

test('a value rounded to BF16 once is exact from then on', async () => {
  const path = join(folder, 'bf16.safetensors')
  const data = Float32Array.from({ length: 1000 }, (_, i) => Math.sin(i) * 1.7)
  await writeSafetensors(path, new Map([['w', { shape: [10, 100], data }]]), 'BF16')
  const once = await readSafetensors(path)
  const error = Math.max(...data.map((x, i) => Math.abs(x - (once.get('w')?.data[i] ?? 0)) / Math.abs(x || 1)))
  expect(error).toBeLessThan(2 ** -8)
  await writeSafetensors(path, once, 'BF16')
  expect(await readSafetensors(path)).toEqual(once)
})

test('F16 is read', async () => {
  const header = JSON.stringify({ h: { dtype: 'F16', shape: [2], data_offsets: [0, 4] } })
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  const path = await fileOf(Buffer.concat([length, Buffer.from(header), Buffer.from([0x00, 0x3c, 0x00, 0xc0])]))
  expect((await readSafetensors(path)).get('h')?.data).toEqual(Float32Array.of(1, -2))
})

test('a tensor beyond 2 GiB is encoded in parts that a hash takes', () => {
  const elements = 2 ** 29 + 1 // never touched, so that they take no memory
  const parts = encodeSafetensors(new Map([['w', { shape: [elements], data: new Float32Array(elements) }]]), 'F32')
  const lengths = parts.map(({ byteLength }) => byteLength)
  expect(Math.max(...lengths)).toBeLessThan(2 ** 31)
  expect(lengths.slice(3).reduce((sum, length) => sum + length, 0)).toBe(4 * elements)
})

test.each(['F32', 'BF16'] as const)('%s beyond 2 GiB of a file is read', async dtype => {
  const shapes = { a: [2 ** 30], b: [3] } // a hole of the file, and three numbers behind it
  const tensors = new Map(Object.entries(shapes).map(([name, shape]) => [name, { shape }]))
  const header = Buffer.concat(encodeSafetensorsHeader(tensors, name => (name === 'a' ? 'BF16' : dtype)))
  const path = await fileOf(header)
  const file = await open(path, 'r+')
  const content = dtype === 'F32' ? Float32Array.of(1, -2, 0.5) : Uint16Array.of(0x3f80, 0xc000, 0x3f00)
  await file.write(content, 0, content.byteLength, header.length + 2 ** 31)
  await file.close()
  const stored = await scanSafetensors(path)
  expect(stored.get('b')?.offset).toBeGreaterThan(2 ** 31)
  const { b } = Object.fromEntries(await readStoredTensors([stored.get('b') as StoredTensor]))
  expect(b?.data).toEqual(Float32Array.of(1, -2, 0.5))
})

test('a failed write leaves the old file and nothing else', async () => {
  const inner = await mkdtemp(join(folder, 'atomic-'))
  await expect(writeSafetensors(join(inner, 'none', 'x'), new Map(), 'F32')).rejects.toThrow()
  await writeSafetensors(join(inner, 'x'), new Map(), 'F32')
  expect(await readdir(inner)).toEqual(['x'])
})

const entry = (shape: unknown, data_offsets: unknown, dtype = 'F32') => ({ w: { dtype, shape, data_offsets } })

test.each([
  ['a length of the header beyond the file', '{}', 0, 'header', 2n ** 40n],
  ['a length of the header beyond 64 bits of sense', '{}', 0, 'header', 2n ** 64n - 1n],
  ['a header that is not JSON', '{"w":', 0, 'header', undefined],
  ['a header that is not an object', '[]', 0, 'header', undefined],
  ['a type that is not read', entry([1], [0, 8], 'I64'), 8, 'w', undefined],
  ['a huge shape', entry([2 ** 30, 2 ** 30], [0, 8]), 8, 'w', undefined],
  ['a shape past all numbers', entry(Array(8).fill(2 ** 50), [0, 8]), 8, 'w', undefined],
  ['huge offsets that agree with a huge shape', entry([2 ** 40], [0, 2 ** 42]), 8, 'data', undefined],
  ['a negative length', entry([-1], [0, 4]), 4, 'w', undefined],
  ['a fraction for a length', entry([0.5], [0, 2]), 2, 'w', undefined],
  ['offsets backwards', entry([1], [4, 0]), 4, 'w', undefined],
  ['offsets that are missing', entry([1], undefined), 4, 'w', undefined],
  ['hidden bytes before', entry([1], [4, 8]), 8, 'w', undefined],
  ['hidden bytes after', entry([1], [0, 4]), 8, 'data', undefined],
  ['a file cut short', entry([2], [0, 8]), 4, 'data', undefined],
  ['overlapping tensors', { ...entry([2], [0, 8]), v: entry([2], [4, 12]).w }, 12, 'v', undefined],
] as const)('%s is refused by name', async (_, header, dataBytes, field, claimed) => {
  const path = await fileWith(header, dataBytes, claimed)
  await expect(readSafetensors(path)).rejects.toThrow(expect.objectContaining({ file: path, field }))
})

test('a missing, empty or tiny file is a ModelFileError', async () => {
  await expect(readSafetensors(join(folder, 'none'))).rejects.toThrow(ModelFileError)
  await expect(readSafetensors(folder)).rejects.toThrow(ModelFileError)
  await expect(readSafetensors(await fileOf(new Uint8Array(0)))).rejects.toThrow(ModelFileError)
  await expect(readSafetensors(await fileOf(new Uint8Array(7)))).rejects.toThrow(ModelFileError)
})

test('a file that changes between its header and its tensors, or while those are read, is refused', async () => {
  const path = join(folder, 'changing.safetensors')
  const write = (value: number) =>
    writeSafetensors(path, new Map([['w', { shape: [2], data: Float32Array.of(value, 2) }]]), 'F32')
  const refused = { file: path, field: 'file', message: expect.stringContaining('was changed while it was read') }
  await write(1)
  const stored = await scanSafetensors(path)
  await write(3) // as many bytes, and another file
  await expect(readStoredTensors(stored.values())).rejects.toMatchObject(refused)
  const tensor = (await scanSafetensors(path)).get('w') as StoredTensor
  const visit = visitStoredTensor(tensor, () => appendFileSync(path, 'x'))
  await expect(visit).rejects.toMatchObject(refused)
})

test('any damage to a file is either harmless or a ModelFileError', async () => {
  const whole = Buffer.concat(
    encodeSafetensors(new Map([['w', { shape: [3], data: Float32Array.of(1, 2, 3) }]]), 'F32'),
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), async (at, byte, length) => {
      const damaged = Buffer.from(whole.subarray(0, length))
      if (at < damaged.length) damaged[at] = byte
      const outcome = await readSafetensors(await fileOf(damaged)).catch(error => error)
      expect(outcome instanceof Map || outcome instanceof ModelFileError).toBe(true)
    }),
    { numRuns: 200 },
  )
})
