import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights } from '#model/decoder/weights.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { writeModel } from '#model/writeModel.ts'
import type { DrawsRequest } from './policyProtocol.ts'
import { encodePolicy } from './publishedPolicy.ts'
import { createPublishedReader } from './publishedReader.ts'

/** A base in a folder, and a request to read an adapter over it. */
async function scene() {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-published-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const weights = tinyWeights()
  await writeModel(folder, tinyConfig, weights)
  const lora = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }
  const base = hashWeights(weights)
  const parts = encodePolicy({ adapter: initLora(tinyConfig, lora, 'adapter'), base, precision: 'float32' })
  const request: DrawsRequest = {
    ...{ policy: Buffer.concat(parts), base: folder, bases: [base], seed: 'draws', temperature: 1, topP: 1 },
    sequences: [{ tokens: Int32Array.of(1, 2, 3), from: 1, place: { prompt: 0, sample: 0 } }],
  }
  return { folder, request }
}

test('work that cannot be read lets no base be hashed or loaded again', async () => {
  const { folder, request } = await scene()
  const reader = createPublishedReader({ threads: 1, residentBytes: 2 ** 20 })
  onTestFinished(() => reader.dispose())
  const first = await reader.readDraws(request)
  expect(first).toMatchObject({ maxPositions: tinyConfig.maxPositions })
  await expect(reader.readDraws({ ...request, temperature: 0 })).rejects.toThrow('temperature 0')
  // Nothing of it is read any more.
  await rm(folder, { recursive: true })
  expect(await reader.readDraws(request)).toEqual(first)
})

test('draws are read on the CPU, whatever the device', async () => {
  const { request } = await scene()
  const whole = { ...request, policy: Buffer.concat(encodePolicy({ weights: tinyWeights() })) }
  const read = async (device: 'cpu' | 'cuda') => {
    const reader = createPublishedReader({ threads: 1, residentBytes: 2 ** 20, device })
    onTestFinished(() => reader.dispose())
    return [await reader.readDraws(request), await reader.readDraws(whole)]
  }
  const here = await read('cpu')
  expect(here).toMatchObject([{ draws: expect.anything() }, { draws: expect.anything() }])
  // Without a GPU, a session on it could not be made at all.
  expect(await read('cuda')).toEqual(here)
})

test.each(['draws', 'completions'])('%s: a base whose files could not be read is read again', async kind => {
  const { folder, request } = await scene()
  const reader = createPublishedReader({ threads: 1, residentBytes: 2 ** 20 })
  onTestFinished(() => reader.dispose())
  await rm(join(folder, 'model.safetensors'))
  const sampling = { samplesPerPrompt: 1, maxNewTokens: 1, temperature: 1, stopToken: 0, seed: 'again' }
  const use = () =>
    kind === 'draws'
      ? reader.readDraws(request)
      : reader.generate({ policy: request.policy, base: folder }, { prompts: [Int32Array.of(1, 2)], ...sampling })
  await expect(use()).rejects.toThrow()
  await writeModel(folder, tinyConfig, tinyWeights())
  expect(await use()).toMatchObject(kind === 'draws' ? { maxPositions: tinyConfig.maxPositions } : [{}])
})
