import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type DecoderConfig, readDecoderConfig } from '../decoder/decoderConfig.ts'
import { ropeFrequencies } from '../decoder/rope.ts'
import { tinyFamilies, tinyWeights } from '../decoder/tinyDecoder.ts'
import { readWeights } from '../decoder/weights.ts'
import { fingerprint } from '../files/fileFingerprint.ts'
import { scanSafetensors } from '../files/safetensors.ts'
import { importGguf } from './importGguf.ts'
import { readGguf } from './readGguf.ts'
import { encodeGguf, type TestGguf, testGguf, text, texts, whole, wholes } from './testGguf.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-gguf-'))
afterAll(() => rmSync(root, { recursive: true }))

let made = 0
const pathOf = () => join(root, `${made++}.gguf`)

/** @returns the file's path and the folder. */
async function imported(file: TestGguf | Uint8Array): Promise<{ path: string; folder: string }> {
  const path = pathOf()
  const folder = path.replace('.gguf', '/'.repeat(made % 2)) // as a shell completes it, or not
  writeFileSync(path, file instanceof Uint8Array ? file : encodeGguf(file))
  await importGguf(path, folder)
  return { path, folder }
}

/** Names of a folder that was to be imported, and of what begins like it. */
const traces = (folder: string) =>
  readdirSync(root).filter(name => `${name}.`.startsWith(`${basename(folder)}.`) && name !== `${basename(folder)}.gguf`)

/** A width that fits the tokenizers' tokens and blocks of 32. */
const sized = (config: DecoderConfig): DecoderConfig => ({
  ...config,
  vocabSize: 448,
  hiddenSize: 32,
  rmsNormEps: 2 ** -20,
})
const families = Object.entries(tinyFamilies).map(([name, config]) => [name, sized(config)] as const)
const qwen = sized(tinyFamilies.Qwen2 as DecoderConfig)

function withScaling(config: DecoderConfig, file: TestGguf): TestGguf {
  if (config.ropeScaling?.type === 'linear') {
    file.metadata['llama.rope.scaling.type'] = text('linear')
    file.metadata['llama.rope.scaling.factor'] = whole(config.ropeScaling.factor)
  }
  if (config.ropeScaling?.type === 'llama3') {
    const scaled = ropeFrequencies(config)
    const factors = ropeFrequencies({ ...config, ropeScaling: null }).map((x, i) => x / (scaled[i] as number))
    const bytes = new Uint8Array(factors.buffer)
    file.tensors.push({ name: 'rope_freqs.weight', shape: [factors.length], type: 0, bytes })
  }
  return file
}

test.each(families)('%s comes back: every weight bit for bit, and the configuration', async (_, given) => {
  const scaling = given.ropeScaling
  const config =
    scaling?.type === 'llama3'
      ? { ...given, ropeTheta: 500_000, ropeScaling: { ...scaling, originalMaxPositions: 8192 } }
      : given
  const weights = tinyWeights(config)
  const { folder } = await imported(withScaling(config, testGguf(config, weights, 'qwen', 'qwen2')))
  const read = await readDecoderConfig(folder)
  expect({ ...read, endTokens: undefined }).toEqual({ ...config, endTokens: undefined })
  const found = await readWeights(folder, read)
  expect([...found.keys()].sort()).toEqual([...weights.keys()].sort())
  for (const [name, { data }] of weights) expect(found.get(name)?.data, name).toEqual(data)
})

const linear = (factor: number) => ({ type: 'linear', factor })
test.each([
  [{ 'rope.scaling.factor': whole(4) }, linear(4)],
  [{ 'rope.scale_linear': whole(2) }, linear(2)],
  [{ 'rope.scaling.factor': whole(4), 'rope.scale_linear': whole(2) }, linear(4)],
  [{ 'rope.scaling.type': text('linear'), 'rope.scale_linear': whole(2) }, linear(2)],
  [{ 'rope.scaling.type': text('none'), 'rope.scaling.factor': whole(4), 'rope.scale_linear': whole(2) }, null],
  [{ 'rope.scaling.factor': whole(1) }, null],
  [{ 'rope.scaling.factor': whole(0), 'rope.scale_linear': whole(2) }, null],
  [{ 'rope.scaling.type': text('linear'), 'rope.scaling.factor': whole(0) }, null],
])('positions with %j are scaled as in llama.cpp', async (said, due) => {
  const file = testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')
  for (const [key, value] of Object.entries(said)) file.metadata[`qwen2.${key}`] = value
  const { folder } = await imported(file)
  expect((await readDecoderConfig(folder)).ropeScaling).toEqual(due)
})

test('16-bit weights stay as they are, and quantised ones become float32', async () => {
  const file = testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')
  const halves = part(file, 'blk.0.attn_q.weight')
  Object.assign(halves, { type: 1, bytes: new Uint8Array(halves.bytes.length / 2).fill(0x2a) })
  const blocks = part(file, 'blk.1.attn_q.weight')
  Object.assign(blocks, { type: 8, bytes: new Uint8Array((blocks.bytes.length / 128) * 34).fill(0x2a) })
  const { folder } = await imported(file)
  const stored = await scanSafetensors(join(folder, 'model.safetensors'))
  expect(stored.get('model.layers.0.self_attn.q_proj.weight')?.dtype).toBe('F16')
  expect(stored.get('model.layers.1.self_attn.q_proj.weight')?.dtype).toBe('F32')
  const weights = await readWeights(folder, await readDecoderConfig(folder))
  const half = 1.541015625 * 2 ** -5 // 0x2a2a
  expect(new Set(weights.get('model.layers.0.self_attn.q_proj.weight')?.data)).toEqual(new Set([half]))
  expect(new Set(weights.get('model.layers.1.self_attn.q_proj.weight')?.data)).toEqual(new Set([half * 0x2a]))
})

test.each([0, 1])(
  'a model in one file is imported if it says that it is in %i parts, as a merged one does',
  async count => {
    const file = testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')
    file.metadata['split.count'] = whole(count)
    const { folder } = await imported(file)
    expect(existsSync(join(folder, 'model.safetensors'))).toBe(true)
  },
)

test('a folder that exists is left alone', async () => {
  const { path, folder } = await imported(testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2'))
  await expect(importGguf(path, folder)).rejects.toMatchObject({ code: 'MODEL_FILE', file: folder, field: 'folder' })
})

test('a folder of a user is kept, whatever its name', async () => {
  const path = pathOf()
  const folder = path.replace('.gguf', '')
  const theirs = join(`${folder}.unfinished`, 'thesis.txt')
  mkdirSync(`${folder}.unfinished`)
  writeFileSync(theirs, 'years of work')
  writeFileSync(path, encodeGguf(testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')))
  await importGguf(path, folder)
  expect(readFileSync(theirs, 'utf8')).toBe('years of work')
  expect(traces(folder)).toHaveLength(2)
})

test('of two imports into one folder at once, one makes it whole and the other is refused', async () => {
  const path = pathOf()
  const folder = path.replace('.gguf', '')
  writeFileSync(path, encodeGguf(testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')))
  const outcomes = await Promise.allSettled([importGguf(path, folder), importGguf(path, folder)])
  const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? outcome.reason : []))
  expect(refused).toEqual([expect.objectContaining({ code: 'FOLDER' })])
  await readWeights(folder, await readDecoderConfig(folder))
  expect(traces(folder)).toEqual([basename(folder)])
})

const part = (file: TestGguf, name: string) =>
  file.tensors.find(tensor => tensor.name === name) as TestGguf['tensors'][0]
const patched = (change: (bytes: Buffer) => unknown) => (file: TestGguf) => {
  const bytes = encodeGguf(file)
  const changed = change(bytes)
  return Buffer.isBuffer(changed) ? changed : bytes
}
/** Puts a field before all others; its value's type, and what follows, as 32-bit numbers. */
const withField = (bytes: Buffer, key: string, value: readonly number[]) => {
  const numbers = [key.length, 0, ...value]
  const words = Buffer.from(new Uint32Array(numbers).buffer)
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE(16) + 1n, 16)
  return Buffer.concat([
    bytes.subarray(0, 24),
    words.subarray(0, 8),
    Buffer.from(key),
    words.subarray(8),
    bytes.subarray(24),
  ])
}
const repeatedKey = (bytes: Buffer) => withField(bytes, 'general.architecture', [4, 1])
const without = (key: string) => (file: TestGguf) => {
  delete file.metadata[key]
}
const saying = (key: string, value: TestGguf['metadata'][string]) => (file: TestGguf) => {
  file.metadata[key] = value
}
const tensor = (name: string, fields: Partial<TestGguf['tensors'][0]>) => (file: TestGguf) => {
  Object.assign(part(file, name), fields)
}

describe('a file that lies is refused by file and field, and leaves nothing behind', () => {
  test.each<[field: string, says: RegExp, change: (file: TestGguf) => unknown]>([
    ['header', /a file of 10 bytes has none/, patched(bytes => bytes.subarray(0, 10))],
    ['magic', /is not GGUF/, patched(bytes => void bytes.write('GGML'))],
    ['version', /1 is not supported/, patched(bytes => void bytes.writeUInt32LE(1, 4))],
    ['version', /16777216|50331648/, patched(bytes => void bytes.writeUInt32BE(3, 4))],
    ['tensor_count', /more than 65536/, patched(bytes => void bytes.writeBigUInt64LE(2n ** 60n, 8))],
    ['metadata_kv_count', /more than 65536/, patched(bytes => void bytes.writeBigUInt64LE(2n ** 60n, 16))],
    ['metadata_kv_count', /more than 65536/, patched(bytes => void bytes.writeBigUInt64LE(2n ** 64n - 1n, 16))],
    ['key 0', /ends past its file/, patched(bytes => void bytes.writeBigUInt64LE(2n ** 60n, 24))],
    ['key 0', /is not a name in UTF-8/, patched(bytes => void bytes.writeUInt8(255, 34))],
    ['tokenizer.ggml.merges', /ends past its file: the file ends at 9000/, patched(bytes => bytes.subarray(0, 9000))],
    [
      'blk.1.ffn_up.weight',
      /ends past its file/,
      patched(bytes => bytes.subarray(0, bytes.indexOf('blk.1.ffn_up.weight') + 19)),
    ],
    ['general.architecture', /is there twice/, patched(repeatedKey)],
    ['tokenizer.chat_template', /is not UTF-8/, patched(bytes => void bytes.writeUInt8(255, bytes.indexOf('{%')))],
    ['list', /more than 1048576 items/, patched(bytes => withField(bytes, 'list', [9, 0, 0, 2 ** 8]))],
    ['list', /is a list of lists/, patched(bytes => withField(bytes, 'list', [9, 9, 1, 0]))],
    ['list', /of type 13, which is unknown/, patched(bytes => withField(bytes, 'list', [9, 13, 1, 0]))],
    ['list', /of type 99, which is unknown/, patched(bytes => withField(bytes, 'list', [99]))],
    ['header', /lignment/, saying('general.alignment', whole(0))],
    ['general.alignment', /power of two/, saying('general.alignment', whole(24))],
    ['split.count', /one of several/, saying('split.count', whole(3))],
    ['output_norm.weight', /ends at byte \d+ of a file of/, patched(bytes => bytes.subarray(0, bytes.length - 64))],
    ['blk.0.attn_q.weight', /starts at byte 1099511627776/, tensor('blk.0.attn_q.weight', { offset: 2 ** 40 })],
    ['blk.0.attn_q.weight', /is of type 99/, tensor('blk.0.attn_q.weight', { type: 99 })],
    ['blk.0.attn_q.weight', /rows of 32, not whole blocks of 256 as Q4_K/, tensor('blk.0.attn_q.weight', { type: 12 })],
    ['blk.0.attn_q.weight', /has shape \[0,32\]/, tensor('blk.0.attn_q.weight', { shape: [0, 32] })],
    ['blk.0.attn_q.weight', /is there twice/, tensor('blk.0.attn_k.weight', { name: 'blk.0.attn_q.weight' })],
    [
      'model.layers.0.self_attn.q_proj.weight',
      /has shape \[16,64\], not \[32,32\]/,
      tensor('blk.0.attn_q.weight', { shape: [16, 64] }),
    ],
    [
      'model.layers.0.self_attn.q_proj.weight',
      /is missing/,
      tensor('blk.0.attn_q.weight', { name: 'blk.0.attn_x.weight' }),
    ],
    [
      'blk.1.ffn_up.weight',
      /element 0 is NaN/,
      tensor('blk.1.ffn_up.weight', { bytes: new Uint8Array(24 * 32 * 4).fill(255) }),
    ],
    ['token_embd.weight', /is missing/, tensor('token_embd.weight', { name: 'other' })],
    ['general.architecture', /must be one of/, saying('general.architecture', text('mamba'))],
    ['qwen2.block_count', /is missing/, without('qwen2.block_count')],
    ['qwen2.attention.head_count', /the same for all layers/, saying('qwen2.attention.head_count', wholes([4, 4]))],
    ['qwen2.rope.dimension_count', /is 4, not the 8/, saying('qwen2.rope.dimension_count', whole(4))],
    ['qwen2.rope.scaling.type', /must be none or linear/, saying('qwen2.rope.scaling.type', text('yarn'))],
    ['qwen2.expert_count', /mixtures/, saying('qwen2.expert_count', whole(8))],
    ['tokenizer.ggml.model', /SentencePiece/, saying('tokenizer.ggml.model', text('llama'))],
    ['tokenizer.ggml.pre', /must be one of gpt-2/, saying('tokenizer.ggml.pre', text('default'))],
    ['tokenizer.ggml.pre', /is missing/, without('tokenizer.ggml.pre')],
    ['tokenizer.ggml.tokens.0', /is not a string/, saying('tokenizer.ggml.tokens', wholes([1, 2]))],
    ['tokenizer.ggml.tokens.0', /is there twice/, saying('tokenizer.ggml.tokens', texts(['a', 'a']))],
    [
      'tokenizer.ggml.tokens',
      /has 449 tokens for an embedding of 448/,
      saying('tokenizer.ggml.tokens', texts(Array.from({ length: 449 }, (_, i) => `t${i}`))),
    ],
    ['tokenizer.ggml.token_type', /is missing: it says which/, without('tokenizer.ggml.token_type')],
    ['tokenizer.ggml.token_type', /has 1 kinds of 448/, saying('tokenizer.ggml.token_type', wholes([1]))],
    ['tokenizer.ggml.eos_token_id', /999 is not a token/, saying('tokenizer.ggml.eos_token_id', whole(999))],
    ['tokenizer.ggml.bos_token_id', /999 is not a token/, saying('tokenizer.ggml.bos_token_id', whole(999))],
    ['tokenizer.ggml.eot_token_id', /999 is not a token/, saying('tokenizer.ggml.eot_token_id', whole(999))],
    ['tokenizer: model.merges.0', /is not of the vocabulary/, saying('tokenizer.ggml.merges', texts(['zz yy']))],
    ['tokenizer: chat_template', /is not a template/, saying('tokenizer.chat_template', text('{% for x in %}'))],
    [
      'rope_freqs.weight',
      /is not a list of 512 F32 at most/,
      file => {
        file.tensors.push({ name: 'rope_freqs.weight', shape: [200_000], type: 0, bytes: new Uint8Array(800_000) })
      },
    ],
    [
      'rope_freqs.weight',
      /are not those of Llama 3/,
      file => {
        file.tensors.push({
          name: 'rope_freqs.weight',
          shape: [4],
          type: 0,
          bytes: new Uint8Array(new Float32Array([1, 3, 5, 9]).buffer),
        })
      },
    ],
  ])('%s: %s', async (field, says, change) => {
    const file = testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')
    const changed = change(file)
    const bytes = Buffer.isBuffer(changed) ? changed : encodeGguf(file)
    const path = pathOf()
    writeFileSync(path, bytes)
    const folder = path.replace('.gguf', '')
    await expect(importGguf(path, folder)).rejects.toMatchObject({
      code: 'MODEL_FILE',
      file: path,
      field,
      message: expect.stringMatching(says),
    })
    expect(traces(folder)).toEqual([])
  })
})

test('a file that changes while it is imported is refused, and leaves nothing behind', async () => {
  const path = pathOf()
  const folder = path.replace('.gguf', '')
  writeFileSync(path, encodeGguf(testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')))
  const grown = importGguf(path, folder, { onProgress: () => appendFileSync(path, 'x') })
  await expect(grown).rejects.toMatchObject({ file: path, field: 'file', message: expect.stringContaining('changed') })
  const cut = importGguf(path, folder, { onProgress: () => truncateSync(path, 100_000) })
  await expect(cut).rejects.toMatchObject({ file: path, field: 'file', message: expect.stringContaining('changed') })
  expect(traces(folder)).toEqual([])
})

test('a file that was replaced before it was imported is refused, and leaves nothing behind', async () => {
  const path = pathOf()
  const folder = path.replace('.gguf', '')
  writeFileSync(path, encodeGguf(testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')))
  const known = await fingerprint(path)
  writeFileSync(path, encodeGguf(testGguf(qwen, tinyWeights(qwen), 'llama', 'llama-bpe')))
  await expect(importGguf(path, folder, { known })).rejects.toMatchObject({ file: path, field: 'file' })
  expect(traces(folder)).toEqual([])
  await importGguf(path, folder, { known: await fingerprint(path) })
  expect(traces(folder)).toEqual([basename(folder)])
})

test.each<[field: string, says: RegExp, value: readonly number[], bytes: number, count: number]>([
  ['f1', /more than 1048576 items of all lists/, [9, 0, 2 ** 19 + 1, 0], 2 ** 19 + 1, 2],
  ['f0', /has a text of 262145 bytes/, [8, 2 ** 18 + 1, 0], 2 ** 18 + 1, 1],
  ['f63', /a header has 16777216 bytes at most/, [8, 2 ** 18, 0], 2 ** 18, 65],
])('what a header would cost is known before it is read: %s %s', async (field, says, value, bytes, count) => {
  const header = encodeGguf(testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')).subarray(0, 24)
  const content = Buffer.alloc(bytes)
  const fields = Array.from({ length: count }, (_, i) => withField(header, `f${i}`, value).subarray(24))
  const path = pathOf()
  writeFileSync(path, Buffer.concat([header, ...fields.flatMap(one => [one, content])]))
  await expect(readGguf(path)).rejects.toMatchObject({ field, message: expect.stringMatching(says) })
})

test('a file that is not there is reported as a file, not as a folder of a model', async () => {
  const missing = importGguf(join(root, 'none.gguf'), join(root, 'none'))
  await expect(missing).rejects.toMatchObject({ field: 'file', hint: expect.stringMatching(/^Correct the path/) })
})

test('a file with any change in its header is read or refused by name', async () => {
  const good = encodeGguf(testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2'))
  const header = good.indexOf('output_norm.weight')
  const change = fc.record({ at: fc.nat(header), value: fc.bigInt(0n, 2n ** 64n - 1n), isByte: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(change, async ({ at, value, isByte }) => {
      const bytes = Buffer.from(good)
      if (isByte) bytes.writeUInt8(Number(value & 255n), at)
      else bytes.writeBigUInt64LE(value, at)
      await imported(bytes).catch(error => expect(error).toMatchObject({ code: 'MODEL_FILE' }))
    }),
    { numRuns: 60 },
  )
})
