import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { presets, starterFolder } from '#environments/builtIn.ts'
import { judgedByChatModel } from '#environments/codezero/testSpec.ts'
import { readBaseHash } from '#environments/paidBase.ts'
import { commonShape } from '#model/decoder/commonShape.ts'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { encodeGguf, testGguf } from '#model/gguf/testGguf.ts'
import { usualAdapter } from '#roles/models/adapterToTrain.ts'
import type { RoleName } from '#roles/roleName.ts'
import { parametersOf } from '../join/modelParameters.ts'
import { checkBases, checkModelMemory } from './checkModel.ts'

const GIB = 2 ** 30
const starter = join(starterFolder, 'solver')
const empty = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
const half = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
writeFileSync(join(half, 'config.json'), JSON.stringify(formatDecoderConfig(commonShape)))
const asked = { role: 'solver', model: half, judge: undefined, lora: undefined, appeals: 0, bets: 0 } as const
const spec = presets.starter
const memory = (free: number, gpu?: number) => ({
  freeBytes: free * GIB,
  gpuBytes: gpu === undefined ? null : gpu * GIB,
})

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
  expect(await checkModelMemory(spec, asked, memory(7))).toMatchObject({ state: 'ok' })
  expect(await checkModelMemory(spec, asked, memory(4))).toMatchObject({
    state: 'failure',
    found: expect.stringMatching(/an adapter of 0\.49 billion .* 4\.0 GiB are free/),
  })
  expect(await checkModelMemory(spec, { ...asked, lora: 0 }, memory(7))).toMatchObject({
    state: 'failure',
    advice: expect.stringContaining('Train an adapter'),
  })
  expect(await checkModelMemory(spec, { ...asked, role: 'evaluator' }, memory(4.5))).toMatchObject({ state: 'ok' })
  const both = { ...asked, role: 'evaluator', bases: [half] } as const
  expect(await checkModelMemory(spec, both, memory(4.5))).toMatchObject({ state: 'failure' })
  expect(await checkModelMemory(spec, both, memory(6))).toMatchObject({ state: 'ok' })
  const other = { ...both, bases: [half, 'some/base'] }
  expect(await checkModelMemory(spec, other, memory(6))).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('without some/base, whose size is not known here'),
    advice: expect.stringContaining('--base'),
  })
  expect(await checkModelMemory(spec, other, memory(5))).toMatchObject({ state: 'failure' })
  expect(await checkModelMemory(spec, { ...asked, judge: half }, memory(6))).toMatchObject({ state: 'failure' })
  const judged = (judge: string, free: ReturnType<typeof memory>) => checkModelMemory(spec, { ...asked, judge }, free)
  expect(await judged('Qwen/Qwen3-4B@main', memory(9))).toMatchObject({ state: 'failure' })
  await expect(judged('https://judge.example/v1', memory(7))).rejects.toThrow('comes with the code')
  const elsewhere = { ...asked, judge: 'https://judge.example/v1' }
  const idle = { ...elsewhere, role: 'proposer' } as const
  expect(await checkModelMemory(spec, idle, memory(7))).toMatchObject({ state: 'ok' })
  expect(await checkModelMemory(judgedByChatModel, elsewhere, memory(7))).toMatchObject({ state: 'ok' })
  const unknown = { state: 'warning', found: expect.stringContaining('some/judge') }
  expect(await judged('some/judge', memory(7))).toMatchObject(unknown)
  expect(await judged('some/judge', memory(4))).toMatchObject({ state: 'failure' })
  const proposing = { ...asked, role: 'proposer', proposer: 'Qwen/Qwen3-4B' } as const
  expect(await checkModelMemory(spec, proposing, memory(6))).toMatchObject({
    state: 'failure',
    found: expect.stringMatching(/^proposer of 4\.02 billion parameters/),
  })
  expect(await checkModelMemory(spec, proposing, memory(8))).toMatchObject({ state: 'ok' })
  const learning = (lora: number, loraBase?: 'float32') =>
    checkModelMemory(spec, { ...proposing, lora, loraBase }, memory(26))
  expect(await learning(8)).toMatchObject({ state: 'ok', found: expect.stringContaining('25.2 GiB') })
  expect(await learning(8, 'float32')).toMatchObject({ state: 'failure', found: expect.stringContaining('32.0 GiB') })
  expect(await learning(0)).toMatchObject({ state: 'ok', found: expect.stringContaining('6.9 GiB') })
  const served = { ...proposing, proposer: 'http://127.0.0.1:8000/v1#Qwen3-4B' }
  expect(await checkModelMemory(spec, served, memory(3))).toMatchObject({ state: 'ok' })
  const named = { ...asked, model: 'Qwen/Qwen2.5-Coder-0.5B-Instruct@main' }
  expect(await checkModelMemory(spec, named, memory(4))).toMatchObject({ state: 'failure' })
  expect(await checkModelMemory(spec, { ...asked, model: 'some/model' }, memory(4))).toMatchObject({ state: 'warning' })
})

test('models that run on a GPU are held against its memory too, and what is short is named', async () => {
  const on = (role: RoleName, more: object, free: number, gpu: number) =>
    checkModelMemory(spec, { ...asked, role, ...more }, memory(free, gpu))
  const short = {
    state: 'failure',
    found: expect.stringMatching(/500\.0 GiB are free; on the GPU 32\.0 GiB of 24\.0 GiB, which is too little$/),
    advice: expect.stringContaining('--device cpu'),
  }
  expect(await on('solver', { model: 'Qwen/Qwen3-4B' }, 500, 24)).toMatchObject(short)
  expect(await on('solver', { model: 'Qwen/Qwen3-4B' }, 500, 80)).toMatchObject({ state: 'ok' })
  expect(await on('solver', { model: 'Qwen/Qwen3-4B' }, 16, 80)).toMatchObject({
    state: 'failure',
    found: expect.stringMatching(/16\.0 GiB are free, which is too little; on the GPU 32\.0 GiB of 80\.0 GiB$/),
    advice: expect.stringContaining('stop something'),
  })
  // An evaluator's base is on the CPU: only the judge is on the GPU.
  const evaluator = await on('evaluator', { model: 'Qwen/Qwen3-4B' }, 500, 3)
  expect(evaluator).toMatchObject({ state: 'ok', found: expect.stringContaining('on the GPU 2.0 GiB of 3.0 GiB') })
  expect(await on('evaluator', { judge: 'Qwen/Qwen3-4B' }, 500, 6)).toMatchObject({ state: 'failure' })
  expect(await on('evaluator', { judge: 'Qwen/Qwen3-4B' }, 500, 8)).toMatchObject({ state: 'ok' })
})

test('a solver that appeals or bets has memory for its base once more, one after the other', async () => {
  const with_ = (duties: object, free: number, gpu?: number) =>
    checkModelMemory(spec, { ...asked, ...duties }, memory(free, gpu))
  const [appeals, bets, both] = [{ appeals: 2 }, { bets: 1 }, { appeals: 2, bets: 1 }]
  for (const duties of [appeals, bets, both]) {
    expect(await with_(duties, 7)).toMatchObject({
      state: 'failure',
      advice: expect.stringContaining('--appeals off --bets off'),
    })
    expect(await with_(duties, 8)).toMatchObject({ state: 'ok' })
    expect(await with_(duties, 4)).toMatchObject({ state: 'failure', advice: expect.stringContaining('--model') })
  }
  // An appeal checks answers on the CPU, and a bet is of the GPU's policy.
  expect(await with_(appeals, 8, 6)).toMatchObject({ state: 'ok' })
  expect(await with_(bets, 8, 6)).toMatchObject({ state: 'failure' })
  expect(await with_({ ...bets, loraBase: 'int8' }, 8, 6)).toMatchObject({ state: 'ok' })
  expect(await with_({ ...both, role: 'evaluator' }, 4.5)).toMatchObject({ state: 'ok' })
})

test('a GGUF file is as large as the shapes in its header say', async () => {
  const config = { ...tinyConfig, vocabSize: 448, hiddenSize: 32 }
  const file = join(empty, 'tiny.gguf')
  writeFileSync(file, encodeGguf(testGguf(config, tinyWeights(config), 'qwen', 'qwen2')))
  expect(await parametersOf(file)).toBe(parameterCount(config))
  expect(await checkModelMemory(spec, { ...asked, model: file }, memory(7))).toMatchObject({ state: 'ok' })
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
