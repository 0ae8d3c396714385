import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { writeModel } from '../writeModel.ts'
import { loadGenerator } from './loadGenerator.ts'

const name = 'model.layers.0.mlp.up_proj.weight'

async function modelWith(value: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-finite-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const weights = tinyWeights()
  weights.get(name)?.data.fill(value, 5, 6)
  await writeModel(folder, tinyConfig, weights)
  return folder
}

const request = {
  prompts: [Int32Array.of(1, 2, 3)],
  ...{ samplesPerPrompt: 1, maxNewTokens: 500, temperature: 1, stopToken: -1, seed: 'finite' },
}

test.each([Number.NaN, Number.POSITIVE_INFINITY, 3e38])(
  'a model with a weight of %s ends at its first token',
  async value => {
    const folder = await modelWith(value)
    const generator = await loadGenerator(folder, { threads: 1 })
    const told: number[] = []
    const completions = generator.generate({ ...request, onToken: ({ token }) => told.push(token) })
    await expect(completions).rejects.toMatchObject({
      ...{ code: 'MODEL_FILE', file: folder, field: 'weights' },
      message: expect.stringContaining('no probabilities in float32:'),
    })
    expect(told).toEqual([])
    await generator.dispose()
  },
)

test.each(['int8', 'int4'] as const)('no %s copy is made of weights that are not finite', async precision => {
  const folder = await modelWith(Number.NaN)
  await expect(loadGenerator(folder, { precision })).rejects.toMatchObject({
    file: join(folder, 'model.safetensors'),
    field: name,
    message: expect.stringContaining('element 5 is NaN'),
  })
})
