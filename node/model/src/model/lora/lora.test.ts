import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { encodeSafetensorsHeader } from '../files/safetensors.ts'
import { type LoraConfig, parseLoraConfig } from './loraConfig.ts'
import { initLora, loraShapes, mergeLora } from './loraFactors.ts'
import { readBaseHash, readBasePrecision, readLora, writeLora } from './loraFiles.ts'

const lora: LoraConfig = { rank: 3, alpha: 6, targets: ['q_proj', 'mlp.down_proj'], rankStabilized: false }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-lora-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** An adapter whose B is not zero. */
function adapter() {
  const fresh = initLora(tinyConfig, lora, 'test')
  for (const [name, { data }] of fresh.factors)
    if (name.endsWith('lora_B.weight')) data.set(data.map((_, i) => Math.sin(i + name.length)))
  return fresh
}

test('a fresh adapter changes no weight', () => {
  const weights = tinyWeights()
  const merged = mergeLora(weights, initLora(tinyConfig, lora, 'test'))
  for (const [name, { data }] of weights) expect(merged.get(name)?.data).toEqual(data)
})

test('merging adds alpha / rank times B A to the targets and leaves the other weights as they are', () => {
  const weights = tinyWeights()
  const { factors } = adapter()
  const merged = mergeLora(weights, { config: lora, factors })
  const name = 'model.layers.1.mlp.down_proj'
  const [a, b] = ['A', 'B'].map(f => factors.get(`${name}.lora_${f}.weight`)?.data as Float32Array)
  const inner = tinyConfig.intermediateSize
  const [row, column] = [5, 7]
  let expected = weights.get(`${name}.weight`)?.data[row * inner + column] as number
  for (let r = 0; r < 3; r++) expected += 2 * (b?.[row * 3 + r] as number) * (a?.[r * inner + column] as number)
  expect(merged.get(`${name}.weight`)?.data[row * inner + column]).toBeCloseTo(expected, 6)
  const kept = 'model.layers.1.self_attn.k_proj.weight'
  expect(merged.get(kept)).toBe(weights.get(kept))
})

test('an adapter is read as it was written', async () => {
  const written = adapter()
  await writeLora(folder, written, 'base')
  expect(await readLora(folder, tinyConfig)).toEqual(written)
})

test('an adapter that does not fit its model is refused by file and field', async () => {
  await writeLora(folder, adapter())
  const wider = { ...tinyConfig, hiddenSize: 32 }
  await expect(readLora(folder, wider)).rejects.toThrow(
    /adapter_model\.safetensors: .*lora_A\.weight: has shape \[3,16\]/,
  )
  const path = join(folder, 'adapter_config.json')
  const content = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...content, target_modules: ['q_proj', 'c_attn'] }))
  await expect(readLora(folder, tinyConfig)).rejects.toThrow(
    'target_modules: the layers have no linear module named c_attn',
  )
  await writeFile(path, JSON.stringify({ ...content, target_modules: ['q_proj'] }))
  await expect(readLora(folder, tinyConfig)).rejects.toThrow('is not a factor of this adapter')
  await writeFile(path, '{')
  await expect(readLora(folder, tinyConfig)).rejects.toThrow('is not JSON')
})

test('features of PEFT that this adapter lacks are refused by name', () => {
  const plain = { peft_type: 'LORA', r: 8, lora_alpha: 16, target_modules: 'all-linear', modules_to_save: null }
  expect(parseLoraConfig(plain).targets).toHaveLength(7)
  for (const [field, value] of Object.entries({ use_dora: true, modules_to_save: ['lm_head'], r: 1e9, bias: 'all' })) {
    expect(() => parseLoraConfig({ ...plain, [field]: value })).toThrow(field)
  }
  expect(() => parseLoraConfig({ ...plain, target_modules: '(a+)+$' })).toThrow('target_modules')
  const ranks = { ...plain, rank_pattern: { q_proj: 4 } }
  expect(() => parseLoraConfig(ranks)).toThrow('rank_pattern: a rank for each module is not supported')
  // PEFT changes the model's own weights when it loads such a one.
  for (const init_lora_weights of ['pissa', 'olora', 'loftq'])
    expect(() => parseLoraConfig({ ...plain, init_lora_weights })).toThrow('init_lora_weights: changes the weights')
  expect(parseLoraConfig({ ...plain, init_lora_weights: 'gaussian', rank_pattern: {} }).rank).toBe(8)
})

test('the factors have the shapes of their modules, with scaling by the square root of the rank if asked', () => {
  const shapes = loraShapes(tinyConfig, { ...lora, targets: ['k_proj'] })
  expect(shapes.get('model.layers.0.self_attn.k_proj.lora_B.weight')).toEqual([16, 3])
  expect(shapes.size).toBe(2 * tinyConfig.layers)
})

test('factors of absurd sizes are refused before their memory is asked for', async () => {
  const { factors } = adapter()
  await writeLora(folder, adapter())
  const shapes = new Map([...factors].map(([name, { shape }]) => [`base_model.model.${name}`, { shape }]))
  const path = join(folder, 'adapter_model.safetensors')
  const claim = async (name: string, rows: number) => {
    const header = Buffer.concat(
      encodeSafetensorsHeader(new Map([...shapes, [name, { shape: [rows, 1 << 20] }]]), 'F32'),
    )
    await writeFile(path, header)
    const held = [...shapes].reduce(
      (sum, [key, { shape }]) => (key === name ? sum : sum + 4 * shape.reduce((a, b) => a * b, 1)),
      0,
    )
    await truncate(path, header.length + held + 4 * rows * (1 << 20))
  }
  const [first] = [...shapes.keys()] as [string]
  await claim(first, 1 << 14)
  await expect(readLora(folder, tinyConfig)).rejects.toThrow(`${first}: has shape [16384,1048576]`)
  await claim('zzz', 1 << 14)
  await expect(readLora(folder, tinyConfig)).rejects.toThrow('zzz: is not a factor of this adapter')
})

test('the precision of its base is kept with an adapter, among what other readers pass over', async () => {
  await writeLora(folder, adapter(), 'base', 'int8')
  expect(await readBasePrecision(folder)).toBe('int8')
  expect(await readLora(folder, tinyConfig)).toEqual(adapter())
  await writeLora(folder, adapter(), 'base')
  expect(await readBasePrecision(folder)).toBeNull()
  const factors = join(folder, 'adapter_model.safetensors')
  for (const [said, message] of [
    ['int2', /base_precision: is int2, and not float32 or int8/],
    [8, /__metadata__: is not text by name/],
  ] as const) {
    const header = Buffer.from(JSON.stringify({ __metadata__: { base_precision: said } }))
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(header.length))
    await writeFile(factors, Buffer.concat([length, header]))
    await expect(readBasePrecision(folder)).rejects.toThrow(message)
  }
})

test('the hash of its base is kept with an adapter', async () => {
  const hash = `0x${'0a'.repeat(32)}`
  await writeLora(folder, adapter(), 'base', 'int8', hash)
  expect([await readBaseHash(folder), await readBasePrecision(folder)]).toEqual([hash, 'int8'])
  await writeLora(folder, adapter(), 'base')
  expect(await readBaseHash(folder)).toBeNull()
  await writeLora(folder, adapter(), 'base', null, 'none')
  await expect(readBaseHash(folder)).rejects.toThrow(/base_hash: is none, and not a sha-256/)
})
