import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Tensor, writeSafetensors } from '../files/safetensors.ts'
import { tinyConfig, tinyWeights } from './tinyDecoder.ts'
import { locateWeights } from './weightFiles.ts'
import { readWeights, sameWeights } from './weights.ts'

let folder: string
const weights = tinyWeights()
const norm = 'model.layers.1.input_layernorm.weight'
const [first, second] = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const

/** A folder with the weights in two files. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-shards-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const inSecond = (name: string) => name.startsWith('model.layers.1.')
  const part = (second: boolean) => new Map([...weights].filter(([name]) => inSecond(name) === second))
  await writeSafetensors(join(folder, first), part(false), 'F32')
  await writeSafetensors(join(folder, second), part(true), 'F32')
  await writeIndex(Object.fromEntries([...weights.keys()].map(name => [name, inSecond(name) ? second : first])))
})

const writeIndex = (weight_map: unknown) =>
  writeFile(join(folder, 'model.safetensors.index.json'), JSON.stringify({ metadata: { total_size: 1 }, weight_map }))

async function changeIndex(change: (map: Record<string, unknown>) => void): Promise<void> {
  const index = JSON.parse(await readFile(join(folder, 'model.safetensors.index.json'), 'utf8'))
  change(index.weight_map)
  await writeIndex(index.weight_map)
}

const refused = (file: string, field: string) =>
  expect(locateWeights(folder, tinyConfig)).rejects.toThrow(
    expect.objectContaining({ name: 'ModelFileError', file: join(folder, file), field }),
  )

test('weights in many files are read as if they were in one', async () => {
  expect(sameWeights(await readWeights(folder, tinyConfig), weights)).toBe(true)
  expect((await locateWeights(folder, tinyConfig)).get(norm)).toMatchObject({
    path: join(folder, second),
    dtype: 'F32',
  })
})

test('one file is preferred to many', async () => {
  await writeSafetensors(join(folder, 'model.safetensors'), weights, 'BF16')
  expect((await locateWeights(folder, tinyConfig)).get(norm)?.dtype).toBe('BF16')
})

test('symbolic links are followed, as those of the hub’s cache into its blobs', async () => {
  const blobs = await mkdtemp(join(tmpdir(), 'waggle-blobs-'))
  onTestFinished(() => rm(blobs, { recursive: true }))
  await rename(join(folder, second), join(blobs, '5f1d'))
  await symlink(join(blobs, '5f1d'), join(folder, second))
  expect(sameWeights(await readWeights(folder, tinyConfig), weights)).toBe(true)
})

test('rotary frequencies and a tied embedding written twice are left out', async () => {
  const extra = { shape: [4], data: new Float32Array(4) }
  const embedding = weights.get('model.embed_tokens.weight') ?? extra
  const name = 'model.layers.0.self_attn.rotary_emb.inv_freq'
  const more = new Map([...weights, [name, extra] as const, ['lm_head.weight', embedding] as const])
  await writeSafetensors(join(folder, 'model.safetensors'), more, 'F32')
  expect(sameWeights(await readWeights(folder, tinyConfig), weights)).toBe(true)
})

test('a tied output layer of other numbers or another shape is refused, in one file or in many', async () => {
  const { shape, data } = weights.get('model.embed_tokens.weight') as Tensor
  const name = 'lm_head.weight'
  const last = data.map((x, i) => (i === data.length - 1 ? x + 1 : x))
  for (const output of [
    { shape, data: last },
    { shape: shape.toReversed(), data },
  ]) {
    await writeSafetensors(join(folder, 'model.safetensors'), new Map([...weights, [name, output] as const]), 'F32')
    await refused('model.safetensors', name)
  }
  await rm(join(folder, 'model.safetensors'))
  await changeIndex(map => Object.assign(map, { [name]: 'output.safetensors' }))
  await writeSafetensors(join(folder, 'output.safetensors'), new Map([[name, { shape, data: last }]]), 'F32')
  await refused('output.safetensors', name)
  await writeSafetensors(join(folder, 'output.safetensors'), new Map([[name, { shape, data }]]), 'F32')
  expect(sameWeights(await readWeights(folder, tinyConfig), weights)).toBe(true)
})

test('an index may still name the output layer of a tied model that no file has', async () => {
  await changeIndex(map => Object.assign(map, { 'lm_head.weight': first }))
  expect(sameWeights(await readWeights(folder, tinyConfig), weights)).toBe(true)
})

test.each([
  ['a path upwards', '../outside.safetensors'],
  ['an absolute path', '/etc/outside.safetensors'],
  ['a path downwards', `inner/${second}`],
  ['another kind of file', 'pytorch_model.bin'],
  ['no text', 7],
])('an index that names %s is refused', async (_, file) => {
  await changeIndex(map => Object.assign(map, { [norm]: file }))
  await refused('model.safetensors.index.json', `weight_map.${norm}`)
})

test('an index that lies about a tensor is refused with its file', async () => {
  await changeIndex(map => Object.assign(map, { [norm]: first }))
  await refused(first, norm)
})

test('an index without a tensor of the model, or with another’s, is refused', async () => {
  await changeIndex(map => delete map[norm])
  await refused('model.safetensors.index.json', norm)
  await changeIndex(map => Object.assign(map, { [norm]: second, 'model.layers.2.mlp.gate_proj.weight': second }))
  await refused(second, 'model.layers.2.mlp.gate_proj.weight')
})

test('an invalid index is refused', async () => {
  const path = join(folder, 'model.safetensors.index.json')
  await writeFile(path, '{"weight_map": [')
  await refused('model.safetensors.index.json', 'file')
  await writeFile(path, '[]')
  await refused('model.safetensors.index.json', 'content')
  await writeFile(path, '{}')
  await refused('model.safetensors.index.json', 'weight_map')
  await writeFile(path, ' '.repeat((8 << 20) + 1))
  await refused('model.safetensors.index.json', 'file')
})

test('a file that is missing, cut short or a folder is named', async () => {
  const bytes = await readFile(join(folder, second))
  await writeFile(join(folder, second), bytes.subarray(0, -4))
  await refused(second, 'data')
  await rm(join(folder, second))
  await refused(second, 'file')
  await mkdir(join(folder, second))
  await refused(second, 'file')
  await rm(join(folder, 'model.safetensors.index.json'))
  await refused('model.safetensors', 'file')
})

test('weights of another shape than config.json says are refused before they are read', async () => {
  const wider = { ...tinyConfig, hiddenSize: 16_384, vocabSize: 1_000_000, layers: 200 }
  await expect(locateWeights(folder, wider)).rejects.toThrow(
    `${first}: model.embed_tokens.weight: has shape [24,16], not [1000000,16384] as config.json asks`,
  )
})

test('a config.json that says otherwise than the weights whether the output layer is tied is refused by its name', async () => {
  const untied = { ...tinyConfig, tieWordEmbeddings: !tinyConfig.tieWordEmbeddings }
  await expect(locateWeights(folder, untied)).rejects.toMatchObject({ code: 'MODEL_FILE', field: 'lm_head.weight' })
})
