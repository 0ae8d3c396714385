import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights, readWeights } from '#model/decoder/weights.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { readLora } from '#model/lora/loraFiles.ts'
import { readOptimizerState, saveAdapterCheckpoint, saveCheckpoint } from './checkpoint.ts'
import { openWholePolicy } from './policy/wholePolicy.ts'
import { createTrainer } from './trainer.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-checkpoint-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const batch = [{ tokens: Int32Array.of(1, 2, 3, 4), scored: Int32Array.of(2, 3), weights: Float32Array.of(1, 1) }]
const adapter = () => initLora(tinyConfig, { rank: 2, alpha: 4, targets: ['v_proj'], rankStabilized: true }, 'saved')

test('an adapter read again takes the same next step bit for bit', async () => {
  const first = adapter()
  const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, adapter: first })
  await trainer.crossEntropyStep(batch, 1e-2)
  await saveAdapterCheckpoint(folder, first, await trainer.state(), 'base')
  await trainer.crossEntropyStep(batch, 1e-2)

  const second = await readLora(folder, tinyConfig)
  const resumed = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, adapter: second })
  const state = await readOptimizerState(folder, hashWeights(second.factors))
  expect(state?.steps).toBe(1)
  if (state) resumed.load(state)
  await resumed.crossEntropyStep(batch, 1e-2)
  expect(hashWeights(second.factors)).toBe(hashWeights(first.factors))
  await trainer.dispose()
  await resumed.dispose()
})

test('weights read again have the state that was saved with them, and no other is kept', async () => {
  const weights = tinyWeights()
  const trainer = await createTrainer(tinyConfig, weights, { threads: 1 })
  const hashes = []
  for (let i = 0; i < 2; i++) {
    await trainer.crossEntropyStep(batch, 1e-2)
    hashes.push(await saveCheckpoint(folder, tinyConfig, weights, await trainer.state()))
  }
  expect(hashWeights(await readWeights(folder, tinyConfig))).toBe(hashes[1])
  expect((await readOptimizerState(folder, hashes[1] as string))?.steps).toBe(2)
  const [kept = '', ...others] = (await readdir(folder)).filter(name => name.startsWith('optimizer-'))
  expect(others).toEqual([])
  await expect(readOptimizerState(folder, hashes[0] as string)).rejects.toThrow(`${kept}: weights: are not those`)
  await rm(join(folder, kept))
  expect(await readOptimizerState(folder, hashes[1] as string)).toBeNull()
  await trainer.dispose()
})

test('training resumes neither from weights that were damaged since they were saved nor from a damaged state', async () => {
  const weights = tinyWeights()
  const trainer = await createTrainer(tinyConfig, weights, { threads: 1 })
  await trainer.crossEntropyStep(batch, 1e-2)
  const hash = await saveCheckpoint(folder, tinyConfig, weights, await trainer.state())
  const flip = async (name: string, fill: number) => {
    const content = await readFile(join(folder, name))
    content.fill(fill, content.length - 8, content.length - 4) // of the state the last four bytes are the steps
    await writeFile(join(folder, name), content)
  }
  const [file = ''] = (await readdir(folder)).filter(name => name.startsWith('optimizer-'))
  await flip('model.safetensors', 1)
  await expect(openWholePolicy(folder, folder, { threads: 1, device: 'cpu', adamW: {} })).rejects.toThrow(
    'are not those',
  )
  await flip(file, 0xff)
  await expect(readOptimizerState(folder, hash)).rejects.toThrow(
    /optimizer-\w+\.safetensors: .* contains a value that is not a finite number/,
  )
  await trainer.dispose()
})

test('a save that breaks off leaves the last weights with their state, and the next one clears up after it', async () => {
  const weights = tinyWeights()
  const trainer = await createTrainer(tinyConfig, weights, { threads: 1 })
  const save = async () => saveCheckpoint(folder, tinyConfig, weights, await trainer.state())
  await trainer.crossEntropyStep(batch, 1e-2)
  const kept = await save()
  await trainer.crossEntropyStep(batch, 1e-2)
  const config = join(folder, 'config.json')
  await rm(config)
  await mkdir(join(config, 'in the way'), { recursive: true }) // after the optimizer's state, before the weights
  await expect(save()).rejects.toThrow()
  expect(hashWeights(await readWeights(folder, tinyConfig))).toBe(kept)
  expect((await readOptimizerState(folder, kept))?.steps).toBe(1)
  await rm(config, { recursive: true })
  for (const name of ['model.safetensors', 'config.json'])
    await writeFile(join(folder, `${name}.99.${randomUUID()}.tmp`), 'of a process that was killed')
  await save()
  const files = ['config.json', 'model.safetensors', expect.stringMatching(/^optimizer-\w+\.safetensors$/)]
  expect((await readdir(folder)).sort()).toEqual(files)
  await trainer.dispose()
})
