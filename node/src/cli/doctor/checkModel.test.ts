import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { presets, starterFolder } from '#environments/builtIn.ts'
import { readBaseHash } from '#environments/paidBase.ts'
import { commonShape } from '#model/decoder/commonShape.ts'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { encodeGguf, testGguf } from '#model/gguf/testGguf.ts'
import { usualAdapter } from '#roles/models/adapterToTrain.ts'
import { parametersOf } from '../join/modelParameters.ts'
import { checkBases, checkModelMemory } from './checkModel.ts'

const GIB = 2 ** 30
const starter = join(starterFolder, 'solver')
const empty = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
const half = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
writeFileSync(join(half, 'config.json'), JSON.stringify(formatDecoderConfig(commonShape)))
const asked = { role: 'solver', model: half, judge: undefined, lora: undefined } as const
const spec = presets.starter

test('half a billion parameters are trained as an adapter unless the operator asks for all weights', async () => {
  expect(await usualAdapter(empty, undefined, half)).toEqual({ rank: 16 })
  expect(await usualAdapter(empty, { base: 'int8' }, half)).toEqual({ base: 'int8', rank: 16 })
  expect(await usualAdapter(empty, { rank: 0 }, half)).toEqual({ rank: 0 })
  expect(await usualAdapter(empty, undefined, starter)).toBeUndefined()
  const kept = mkdtempSync(join(tmpdir(), 'waggle-kept-'))
  writeFileSync(join(kept, 'model.safetensors'), '')
  expect(await usualAdapter(kept, undefined, half)).toBeUndefined()
})

test('memory is held against what role and model take', async () => {
  expect(await checkModelMemory(spec, asked, 7 * GIB)).toMatchObject({ state: 'ok' })
  expect(await checkModelMemory(spec, asked, 4 * GIB)).toMatchObject({
    state: 'failure',
    found: expect.stringMatching(/an adapter of 0\.49 billion .* 4\.0 GiB are free/),
  })
  expect(await checkModelMemory(spec, { ...asked, lora: 0 }, 7 * GIB)).toMatchObject({
    state: 'failure',
    advice: expect.stringContaining('Train an adapter'),
  })
  expect(await checkModelMemory(spec, { ...asked, role: 'evaluator' }, 4.5 * GIB)).toMatchObject({ state: 'ok' })
  const both = { ...asked, role: 'evaluator', bases: [half] } as const
  expect(await checkModelMemory(spec, both, 4.5 * GIB)).toMatchObject({ state: 'failure' })
  expect(await checkModelMemory(spec, both, 6 * GIB)).toMatchObject({ state: 'ok' })
  const other = { ...both, bases: [half, 'some/base'] }
  expect(await checkModelMemory(spec, other, 6 * GIB)).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('without some/base, whose size is not known here'),
    advice: expect.stringContaining('--base'),
  })
  expect(await checkModelMemory(spec, other, 5 * GIB)).toMatchObject({ state: 'failure' })
  expect(await checkModelMemory(spec, { ...asked, judge: half }, 6 * GIB)).toMatchObject({ state: 'failure' })
  const judged = (judge: string, freeBytes: number) => checkModelMemory(spec, { ...asked, judge }, freeBytes)
  expect(await judged('Qwen/Qwen3-4B@main', 9 * GIB)).toMatchObject({ state: 'failure' })
  expect(await judged('https://judge.example/v1', 7 * GIB)).toMatchObject({ state: 'ok' })
  const unknown = { state: 'warning', found: expect.stringContaining('some/judge') }
  expect(await judged('some/judge', 7 * GIB)).toMatchObject(unknown)
  expect(await judged('some/judge', 4 * GIB)).toMatchObject({ state: 'failure' })
  const proposing = { ...asked, role: 'proposer', proposer: 'Qwen/Qwen3-4B' } as const
  expect(await checkModelMemory(spec, proposing, 6 * GIB)).toMatchObject({
    state: 'failure',
    found: expect.stringMatching(/^proposer of 4\.02 billion parameters/),
  })
  expect(await checkModelMemory(spec, proposing, 8 * GIB)).toMatchObject({ state: 'ok' })
  const learning = (lora: number, loraBase?: 'float32') =>
    checkModelMemory(spec, { ...proposing, lora, loraBase }, 26 * GIB)
  expect(await learning(8)).toMatchObject({ state: 'ok', found: expect.stringContaining('25.2 GiB') })
  expect(await learning(8, 'float32')).toMatchObject({ state: 'failure', found: expect.stringContaining('32.0 GiB') })
  expect(await learning(0)).toMatchObject({ state: 'ok', found: expect.stringContaining('6.9 GiB') })
  const served = { ...proposing, proposer: 'http://127.0.0.1:8000/v1#Qwen3-4B' }
  expect(await checkModelMemory(spec, served, 3 * GIB)).toMatchObject({ state: 'ok' })
  const named = { ...asked, model: 'Qwen/Qwen2.5-Coder-0.5B-Instruct@main' }
  expect(await checkModelMemory(spec, named, 4 * GIB)).toMatchObject({ state: 'failure' })
  expect(await checkModelMemory(spec, { ...asked, model: 'some/model' }, 4 * GIB)).toMatchObject({ state: 'warning' })
})

test('a GGUF file is as large as the shapes in its header say', async () => {
  const config = { ...tinyConfig, vocabSize: 448, hiddenSize: 32 }
  const file = join(empty, 'tiny.gguf')
  writeFileSync(file, encodeGguf(testGguf(config, tinyWeights(config), 'qwen', 'qwen2')))
  expect(await parametersOf(file)).toBe(parameterCount(config))
  expect(await checkModelMemory(spec, { ...asked, model: file }, 7 * GIB)).toMatchObject({ state: 'ok' })
  await expect(parametersOf(join(empty, 'none.gguf'))).rejects.toThrow('none.gguf')
})

test('the bases that an environment pays are named, and whether this one is among them', async () => {
  const ours = await readBaseHash(starter)
  const other = `0x${'66'.repeat(32)}` as const
  const told = (bases: (typeof ours)[] | null) => checkBases({ bases }, { ...asked, model: starter })
  expect(await told(null)).toMatchObject({ state: 'ok', found: expect.stringContaining('any base') })
  expect(await told([other, ours])).toMatchObject({ state: 'ok', found: expect.stringContaining('is one') })
  expect(await told([other])).toMatchObject({ state: 'warning', found: expect.stringContaining(ours) })
})
