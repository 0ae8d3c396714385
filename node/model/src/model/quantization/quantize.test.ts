import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { integerLinear } from '#engine/tensor.ts'
import { formatDecoderConfig } from '../decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { writeWeights } from '../decoder/weights.ts'
import { type CopyManifest, readCopyManifest, writeCopyManifest } from '../files/copyManifest.ts'
import { fingerprint } from '../files/fileFingerprint.ts'
import type { GenerateOptions } from '../generation/completion.ts'
import { createGenerator } from '../generation/generate.ts'
import { loadGenerator } from '../generation/loadGenerator.ts'
import type { Precision } from './precision.ts'
import { quantizeBlocks, quantizeBytes } from './quantize.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-quantize-'))
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(folder, 'model.safetensors'), tinyWeights(), 'F32')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const matrix = (rows: number, columns: number) => ({
  shape: [rows, columns],
  data: Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(i * 12.9898) * (1 + (i % 7))),
})

const request: GenerateOptions = {
  prompts: [Int32Array.of(3, 1, 4, 1, 5), Int32Array.of(9, 2, 6)],
  samplesPerPrompt: 3,
  maxNewTokens: 10,
  temperature: 1,
  stopToken: 0,
  seed: 'frozen',
}

test('8-bit codes are within half a step, by column, in the order of the joined matrices', () => {
  const [a, b] = [matrix(5, 70), matrix(3, 70)]
  const { codes, scales } = quantizeBytes([a, b])
  for (let row = 0; row < 8; row++) {
    const source = row < 5 ? a.data.subarray(70 * row) : b.data.subarray(70 * (row - 5))
    const scale = scales[row] as number
    for (let k = 0; k < 70; k++)
      expect(Math.abs((codes[k * 8 + row] as number) * scale - (source[k] as number))).toBeLessThanOrEqual(
        0.5001 * scale,
      )
  }
})

test('4-bit codes are within half a step, but one whole where the positive end is cut', () => {
  const a = matrix(3, 40)
  const { codes, scales } = quantizeBlocks([a], 32)
  for (let i = 0; i < a.data.length; i++) {
    const [row, k] = [Math.floor(i / 40), i % 40]
    const block = row * 2 + Math.floor(k / 32)
    const byte = codes[block * 16 + ((k % 32) >> 1)] as number
    const scale = scales[block] as number
    const back = ((k % 2 ? byte >> 4 : byte & 15) - 8) * scale
    expect(Math.abs(back - (a.data[i] as number))).toBeLessThanOrEqual(1.0001 * Math.abs(scale))
  }
})

test('integer products are exact, with the largest codes too, whichever kernel runs and whatever the other rows are', async () => {
  const [inner, outer, rows] = [192, 40, 9]
  const codes = Int8Array.from({ length: inner * outer }, (_, i) =>
    i % 3 === 0 ? 127 : i % 3 === 1 ? -127 : (i * 7) % 120,
  )
  const scales = Float32Array.from({ length: outer }, (_, n) => 1 / (n + 3))
  const x = Float32Array.from({ length: rows * inner }, (_, i) => (i % 2 ? 1 : Math.cos(i)))
  const run = async (fused: boolean, from: number, count: number) => {
    const graph = new Graph()
    const input = graph.input('x', 'f32', ['R', inner])
    const weights = graph.constant('i8', [inner, outer], codes)
    const y = integerLinear(input, weights, graph.constant('f32', [outer], scales), fused)
    const session = await createSession(encodeModel({ y }))
    const part = x.subarray(from * inner, (from + count) * inner)
    const { data } = (await session.run({ x: tensor('f32', part, [count, inner]) })).y as Tensor<'f32'>
    await session.dispose()
    return data
  }
  const fused = await run(true, 0, rows)
  expect(await run(false, 0, rows)).toEqual(fused)
  expect(await run(true, 4, 1)).toEqual(fused.slice(4 * outer, 5 * outer))
  for (let r = 0; r < rows; r++) {
    const row = [...x.subarray(r * inner, (r + 1) * inner)]
    const scale = Math.fround(Math.max(...row.map(Math.abs)) * Math.fround(1 / 127))
    for (let n = 0; n < outer; n++) {
      const sum = row.reduce(
        (total, v, k) => total + Math.round(Math.fround(v / scale)) * (codes[k * outer + n] as number),
        0,
      )
      const expected = sum * (scales[n] as number) * scale
      expect(Math.abs((fused[r * outer + n] as number) - expected)).toBeLessThan(1e-5 * Math.max(1, Math.abs(expected)))
    }
  }
})

test('weights read in place give the bits of weights in memory', async () => {
  const inPlace = await loadGenerator(folder)
  const inMemory = createGenerator(tinyConfig, tinyWeights())
  const [a, b] = [await inPlace.generate(request), await inMemory.generate(request)]
  expect(a.map(c => [...c.tokens])).toEqual(b.map(c => [...c.tokens]))
  for (const [i, { logprobs }] of a.entries())
    for (const [t, logprob] of logprobs.entries()) expect(logprob).toBeCloseTo(b[i]?.logprobs[t] as number, 5)
  await Promise.all([inPlace.dispose(), inMemory.dispose()])
})

test('shards whose links lead into different folders, as in a cache of blobs, are read in place', async () => {
  const linked = join(folder, 'linked')
  const weights = tinyWeights()
  const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const
  const shardOf = (name: string) => (name.startsWith('model.layers.1.') ? shards[1] : shards[0])
  for (const [i, shard] of shards.entries()) {
    const blobs = join(folder, 'blobs', `${i}`)
    await mkdir(blobs, { recursive: true })
    await mkdir(linked, { recursive: true })
    const part = new Map([...weights].filter(([name]) => shardOf(name) === shard))
    await writeWeights(join(blobs, 'content'), part, 'F32')
    await symlink(join(blobs, 'content'), join(linked, shard))
  }
  const weight_map = Object.fromEntries([...weights.keys()].map(name => [name, shardOf(name)]))
  await writeFile(join(linked, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
  await writeFile(join(linked, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  const [apart, whole] = [await loadGenerator(linked), await loadGenerator(folder)]
  expect(await apart.generate(request)).toEqual(await whole.generate(request))
  await Promise.all([apart.dispose(), whole.dispose()])
})

test.each<[Precision, number]>([
  ['int8', 0.1],
  ['int4', 1],
])('%s completions are near float32, and depend on no thread and no neighbour', async (precision, tolerance) => {
  const cacheFolder = join(folder, precision)
  const progress: number[] = []
  const one = await loadGenerator(folder, {
    precision,
    cacheFolder,
    threads: 1,
    onProgress: done => progress.push(done),
  })
  expect(progress.at(-1)).toBe(1)
  const two = await loadGenerator(folder, {
    precision,
    cacheFolder,
    threads: 2,
    onProgress: () => expect.unreachable(),
  })
  const whole = await one.generate(request)
  expect(await two.generate(request)).toEqual(whole)
  const alone = { ...request, prompts: request.prompts.slice(1), promptNumbers: [1], samplesPerPrompt: 1 }
  expect((await two.generate(alone))[0]).toEqual({ ...whole[3], prompt: 0 })
  const exact = createGenerator(tinyConfig, tinyWeights())
  const [a] = await one.generate({ ...request, temperature: 0, maxNewTokens: 1 })
  const [b] = await exact.generate({ ...request, temperature: 0, maxNewTokens: 1 })
  expect(Math.abs((a?.logprobs[0] as number) - (b?.logprobs[0] as number))).toBeLessThan(tolerance)
  await Promise.all([one.dispose(), two.dispose(), exact.dispose()])
})

/** Opens the 8-bit model of a folder: whether its copy was made, and its greedy completion. */
async function openCopy(of: string, cacheFolder: string) {
  let made = false
  const onProgress = () => {
    made = true
  }
  const generator = await loadGenerator(of, { precision: 'int8', cacheFolder, onProgress })
  const [completion] = await generator.generate({ ...request, temperature: 0 })
  await generator.dispose()
  return { made, completion }
}

test('a copy that was cut short, damaged at its size, or lost is made again', async () => {
  const cacheFolder = join(folder, 'damaged')
  const { completion } = await openCopy(folder, cacheFolder)
  const [data, manifest] = [join(cacheFolder, 'int8.bin'), join(cacheFolder, 'int8.json')]
  const whole = await readFile(data)
  const swap = async (path: string, from: string, to: string) =>
    writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
  const beyond = async (path: string) => {
    const known = (await readCopyManifest(path)) as CopyManifest
    return { ...known, tensors: known.tensors.map(tensor => ({ ...tensor, offset: 4096 + tensor.offset })) }
  }
  const damages: [string, () => Promise<unknown>][] = [
    ['nothing', async () => undefined],
    ['manifest cut', async () => truncate(manifest, 40)],
    ['manifest of another place', async () => swap(manifest, '"offset":4096', '"offset":8192')],
    ['manifest of what is beyond the data', async () => writeCopyManifest(manifest, await beyond(manifest))],
    ['data cut', async () => truncate(data, 1000)],
    ['a torn write', async () => writeFile(data, Buffer.concat([whole.subarray(0, -5000), Buffer.alloc(5000)]))],
    ['data lost', async () => rm(data)],
    ['nothing', async () => undefined],
  ]
  for (const [what, damage] of damages) {
    await damage()
    expect(await openCopy(folder, cacheFolder), what).toEqual({ made: what !== 'nothing', completion })
  }
})

test('a copy is made again when its model has other weights, also of the same size and times, and only then', async () => {
  const model = join(folder, 'trained')
  const cacheFolder = join(folder, 'of-trained')
  await mkdir(model)
  await copyFile(join(folder, 'config.json'), join(model, 'config.json'))
  const weights = join(model, 'model.safetensors')
  await copyFile(join(folder, 'model.safetensors'), weights)
  await utimes(weights, 1, 1)
  const first = await openCopy(model, cacheFolder)
  await writeWeights(
    weights,
    new Map([...tinyWeights()].map(([name, { shape, data }]) => [name, { shape, data: data.map(x => -x) }])),
    'F32',
  )
  await utimes(weights, 1, 1)
  const second = await openCopy(model, cacheFolder)
  expect(second.made).toBe(true)
  expect(second.completion).not.toEqual(first.completion)
  await utimes(weights, 2, 2)
  await rename(weights, `${weights}.away`)
  await copyFile(`${weights}.away`, weights)
  expect((await openCopy(model, cacheFolder)).made).toBe(false)
  const state = await stat(join(cacheFolder, 'int8.json'))
  expect((await openCopy(model, cacheFolder)).made).toBe(false)
  expect((await stat(join(cacheFolder, 'int8.json'))).mtimeMs).toBe(state.mtimeMs)
})

test('a tied output layer is compared with the embedding when a copy is made, and not at each start', async () => {
  const [model, cacheFolder] = [join(folder, 'tied'), join(folder, 'of-tied')]
  await mkdir(model)
  await copyFile(join(folder, 'config.json'), join(model, 'config.json'))
  const [file, manifest] = [join(model, 'model.safetensors'), join(cacheFolder, 'int8.json')]
  const writeWith = (sign: number) => {
    const { shape, data } = tinyWeights().get('model.embed_tokens.weight') as Tensor & { data: Float32Array }
    const output = { shape: [...shape], data: data.map(x => sign * x) }
    return writeWeights(file, new Map([...tinyWeights(), ['lm_head.weight', output]]), 'F32')
  }
  await writeWith(1)
  const { completion } = await openCopy(model, cacheFolder)
  await writeWith(-1)
  await expect(openCopy(model, cacheFolder)).rejects.toMatchObject({ code: 'MODEL_FILE', field: 'lm_head.weight' })
  // As if the copy had been made of this file.
  const known = (await readCopyManifest(manifest)) as CopyManifest
  await writeCopyManifest(manifest, { ...known, sources: [await fingerprint(file)] })
  expect(await openCopy(model, cacheFolder)).toEqual({ made: false, completion })
})

test('a copy that is stopped leaves nothing, and what a killed one left is cleared away', async () => {
  const cacheFolder = join(folder, 'stopped')
  const stop = new AbortController()
  const stopped = loadGenerator(folder, {
    precision: 'int8',
    cacheFolder,
    signal: stop.signal,
    onProgress: done => done > 0.5 && stop.abort(),
  })
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
  expect(await readdir(cacheFolder)).toEqual([])
  const [left, growing] = ['int8.bin.1.tmp', 'int8.bin.2.tmp']
  for (const name of [left, growing]) await writeFile(join(cacheFolder, name as string), 'part')
  await utimes(join(cacheFolder, left as string), 1, 1)
  await (await loadGenerator(folder, { precision: 'int8', cacheFolder })).dispose()
  expect((await readdir(cacheFolder)).sort()).toEqual(['int8.bin', growing, 'int8.json'])
})

test('two openings at once in one process make the copy without disturbing each other', async () => {
  const cacheFolder = join(folder, 'at-once')
  const opened = await Promise.all([openCopy(folder, cacheFolder), openCopy(folder, cacheFolder)])
  expect(opened[1].completion).toEqual(opened[0].completion)
  expect((await readdir(cacheFolder)).sort()).toEqual(['int8.bin', 'int8.json'])
})

test('a folder that copies cannot be written to is named, with what to do', async () => {
  const file = join(folder, 'no-folder')
  await writeFile(file, '')
  await expect(loadGenerator(folder, { precision: 'int8', cacheFolder: join(file, 'copies') })).rejects.toMatchObject({
    code: 'MODEL_FILE',
    message: expect.stringMatching(/no-folder\/copies: file: cannot be written \(ENOTDIR\)/),
    hint: expect.stringContaining('--cache'),
  })
})
