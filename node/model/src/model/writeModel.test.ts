import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tinyConfig, tinyWeights } from './decoder/tinyDecoder.ts'
import { locateWeights } from './decoder/weightFiles.ts'
import { readModel } from './readModel.ts'
import { writeModel } from './writeModel.ts'

test.each([
  ['F32', 'float32'],
  ['BF16', 'bfloat16'],
] as const)('an exported model says of which type its weights are: %s', async (dtype, name) => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-export-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeModel(folder, tinyConfig, tinyWeights(), dtype)
  // transformers computes in the type that config.json names: a wrong one rounds every weight, and nobody is told.
  expect(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')).torch_dtype).toBe(name)
  const stored = await locateWeights(folder, tinyConfig)
  expect(new Set([...stored.values()].map(tensor => tensor.dtype))).toEqual(new Set([dtype]))
  expect((await readModel(folder)).config).toEqual(tinyConfig)
})
