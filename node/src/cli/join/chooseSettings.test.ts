import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RoleName } from '#roles/roleName.ts'
import { chatPools, knownModels } from './chatPools.ts'
import { choosePool, describePools, optionsOf } from './choosePool.ts'
import { chooseSettings } from './chooseSettings.ts'
import { gibibytes, whyUnknown } from './machineMemory.ts'
import { memoryNeeded, trainedOf } from './memoryNeeded.ts'

const GIB = 2 ** 30
const [half, larger, four] = knownModels
const machine: Parameters<typeof chooseSettings>[0] = {
  cores: 4,
  freeBytes: 9 * GIB,
  gpuBytes: null,
  isLocalChain: false,
  judgeParameters: larger.parameters,
}
const off = { appeals: 'off', bets: 'off' }
const chosen = (offer: Partial<typeof machine>, said = {}) =>
  Object.fromEntries(chooseSettings({ ...machine, ...offer }, said).map(({ setting, value }) => [setting, value]))

test('the machine decides the role and settings of a peer', () => {
  expect(chosen({})).toEqual({ role: 'solver', threads: 3 })
  expect(chosen({ cores: 1 })).toEqual({ role: 'solver', threads: 1 })
  expect(chosen({ freeBytes: GIB / 2 })).toEqual({ role: 'gateway' })
  expect(chosen({ isLocalChain: true })).toMatchObject({ listen: ['/ip4/127.0.0.1/tcp/0'] })
  const environment = 'env.json'
  const solver = { role: 'solver', threads: 3, model: half.name, lora: 16 }
  expect(chosen({}, { environment })).toEqual({ ...solver, ...off })
  expect(chosen({ freeBytes: 7 * GIB }, { environment })).toEqual({ ...solver, 'lora-base': 'int8', ...off })
  expect(chosen({ freeBytes: 640 * GIB }, { environment })).toEqual(solver)
  expect(chosen({ freeBytes: 4 * GIB }, { environment })).toEqual({ role: 'gateway' })
  // A judge of four billion leaves too little, and none leaves enough of 6 GiB.
  expect(chosen({ judgeParameters: four.parameters }, { environment })).toEqual({ role: 'gateway' })
  expect(chosen({ freeBytes: 6 * GIB, judgeParameters: 0 }, { environment })).toEqual({ ...solver, ...off })
})

test.each([
  ['solver', 5, undefined],
  ['solver', 7, '--model Qwen/Qwen2.5-Coder-0.5B-Instruct --lora 16 --lora-base int8 --appeals off --bets off'],
  ['solver', 8, '--model Qwen/Qwen2.5-Coder-0.5B-Instruct --lora 16 --appeals off --bets off'],
  ['solver', 10, '--model Qwen/Qwen2.5-Coder-0.5B-Instruct --lora 16'],
  ['solver', 640, '--model Qwen/Qwen2.5-Coder-0.5B-Instruct --lora 16'],
  ['evaluator', 5, undefined],
  ['evaluator', 64, '--model Qwen/Qwen2.5-Coder-0.5B-Instruct'],
  ['auditor', 6, '--model Qwen/Qwen2.5-Coder-0.5B-Instruct'],
  ['proposer', 2, undefined],
  [...['proposer', 3], '--model Qwen/Qwen2.5-Coder-0.5B-Instruct --proposer Qwen/Qwen2.5-Coder-0.5B-Instruct'],
  [...['proposer', 5], '--model Qwen/Qwen2.5-Coder-0.5B-Instruct --proposer Qwen/Qwen2.5-Coder-1.5B-Instruct'],
  [...['proposer', 8], '--model Qwen/Qwen2.5-Coder-0.5B-Instruct --proposer Qwen/Qwen3-4B'],
  ['gateway', 64, undefined],
] as [RoleName, number, string | undefined][])('a %s with %d GiB free', (role, free, options) => {
  const memory = { freeBytes: free * GIB, gpuBytes: null, judgeParameters: larger.parameters }
  const pool = choosePool(role, memory)
  expect(pool && optionsOf(pool)).toBe(options)
})

test('doctor says what every role would play with, or what it takes', () => {
  const memory = { freeBytes: 7 * GIB, gpuBytes: null, judgeParameters: larger.parameters }
  expect(describePools(memory)).toEqual([
    'solver --model Qwen/Qwen2.5-Coder-0.5B-Instruct --lora 16 --lora-base int8 --appeals off --bets off (6.7 GiB)',
    'evaluator --model Qwen/Qwen2.5-Coder-0.5B-Instruct (5.7 GiB)',
    'auditor --model Qwen/Qwen2.5-Coder-0.5B-Instruct (5.7 GiB)',
    'proposer --model Qwen/Qwen2.5-Coder-0.5B-Instruct --proposer Qwen/Qwen3-4B (6.9 GiB)',
  ])
  expect(describePools({ ...memory, freeBytes: GIB })[0]).toBe('solver takes 6.7 GiB')
})

test('the guide has every pool with its memory', () => {
  const guide = readFileSync(new URL('../../../../docs/guides/join-a-swarm.md', import.meta.url), 'utf8')
  for (const role of ['solver', 'evaluator', 'auditor', 'proposer'] as const)
    for (const pool of chatPools[role]) {
      const judgeParameters = role === 'proposer' ? 0 : larger.parameters
      const { parameters, settings } = pool
      const trained = trainedOf(role, { lora: settings.lora, loraBase: settings['lora-base'] })
      const on = (duty: 'appeals' | 'bets') => (settings[duty] === 'off' ? 0 : 1)
      const duties = { appeals: on('appeals'), bets: on('bets') }
      const free = gibibytes(memoryNeeded({ role, judgeParameters, parameters, trained, ...duties }).bytes)
      expect(guide).toContain(`| ${role} | ${free} | \`${optionsOf(pool)}\` |`)
    }
})

test('a solver trains over the base that evaluators and auditors hold', () => {
  const models = (role: RoleName) => new Set(chatPools[role].map(({ settings }) => settings.model))
  expect(models('solver')).toEqual(models('evaluator'))
  expect(models('solver')).toEqual(models('auditor'))
})

test('half a billion parameters fit 8 GiB by an adapter, and not whole', () => {
  const solver = { role: 'solver', parameters: half.parameters, judgeParameters: 0, appeals: 0, bets: 0 } as const
  expect(memoryNeeded({ ...solver, trained: 'adapter' }).bytes).toBeLessThan(6 * GIB)
  expect(memoryNeeded({ ...solver, trained: 'weights' }).bytes).toBeGreaterThan(13 * GIB)
  expect(memoryNeeded({ ...solver, role: 'gateway', trained: 'adapter' })).toEqual({ bytes: 0, gpuBytes: 0 })
})

test('the given options decide what a peer trains, and so its memory', () => {
  const environment = 'env.json'
  const solving = (free: number, said: object) => chosen({ freeBytes: free * GIB }, { environment, ...said })
  // An adapter has a float32 base, unless the operator names another.
  expect(solving(7, { lora: 16 })).toEqual({ role: 'gateway' })
  expect(solving(7, { 'lora-base': 'float32' })).toEqual({ role: 'gateway' })
  expect(solving(7, { lora: 16, 'lora-base': 'int8' })).toEqual({
    ...{ role: 'solver', threads: 3, model: half.name, ...off },
  })
  expect(solving(9, { lora: 0 })).toEqual({ role: 'gateway' })
  expect(solving(16, { lora: 0 })).toEqual({ role: 'solver', threads: 3, model: half.name, ...off })
  expect(solving(18, { lora: 0 })).toEqual({ role: 'solver', threads: 3, model: half.name })
  const reasonsOf = (free: number, said: object) =>
    chooseSettings({ ...machine, freeBytes: free * GIB }, { environment, role: 'solver', ...said })
      .filter(({ setting }) => setting === 'model')
      .map(({ reason }) => reason)
  expect(reasonsOf(7, { lora: 16 })).toEqual([
    'an adapter takes a fraction of the memory of all weights; takes 7.5 GiB, 7.0 GiB are free, which is too little',
  ])
  expect(reasonsOf(9, { lora: 0 })).toEqual([
    'trains all weights; takes 15.8 GiB, 9.0 GiB are free, which is too little',
  ])
  const proposer = (free: number, lora: number) => solving(free, { role: 'proposer', lora }).proposer
  expect([26, 16, 6].map(free => proposer(free, 16))).toEqual([four.name, larger.name, half.name])
  expect(proposer(16, 0)).toBe(four.name)
  expect(reasonsOf(26, { role: 'proposer', lora: 16 })).toEqual([
    'proposes, and trains an adapter; takes 25.2 GiB, 26.0 GiB are free',
  ])
})

test('a GPU that is too small leaves the models to the CPU, or a smaller pool if the operator names the GPU', () => {
  const environment = 'env.json'
  const solver = { role: 'solver', threads: 3, model: half.name, lora: 16 }
  const here = { freeBytes: 512 * GIB }
  expect(chosen({ ...here, gpuBytes: 24 * GIB }, { environment })).toEqual(solver)
  expect(chosen({ ...here, gpuBytes: 6 * GIB }, { environment })).toEqual({ ...solver, device: 'cpu' })
  const named = { environment, device: 'cuda' }
  expect(chosen({ ...here, gpuBytes: 6 * GIB }, named)).toEqual({ ...solver, 'lora-base': 'int8', ...off })
  expect(chosen({ ...here, gpuBytes: 4 * GIB }, named)).toEqual({ role: 'gateway' })
  const auto = { environment, device: 'auto' }
  expect(chosen({ ...here, gpuBytes: 6 * GIB }, auto)).toEqual({ ...solver, 'lora-base': 'int8', ...off })
  // A large GPU is of no use without memory for the host's copy.
  expect(chosen({ freeBytes: 4 * GIB, gpuBytes: 80 * GIB }, { environment })).toEqual({ role: 'gateway' })
  // An evaluator's base is on the CPU.
  expect(chosen({ ...here, gpuBytes: 4 * GIB }, { environment, role: 'evaluator' })).toEqual({
    threads: 3,
    model: half.name,
  })
  const reasons = (gpu: number, said: object) =>
    chooseSettings({ ...machine, ...here, gpuBytes: gpu * GIB }, { environment, ...said }).map(({ reason }) => reason)
  expect(reasons(6, {})).toContain('its models take 9.4 GiB of a GPU, and this one has 6.0 GiB')
  expect(reasons(24, {})[0]).toBe('512.0 GiB of memory free, 24.0 GiB on the GPU; it learns')
  expect(reasons(4, { device: 'cuda' })[0]).toMatch(/^the GPU has only 4\.0 GiB, and a solver takes 5\.1 GiB of it/)
  const offer = { ...here, judgeParameters: larger.parameters, gpuBytes: 4 * GIB }
  expect(describePools(offer, true)[0]).toBe(`solver --model ${half.name} --lora 16 --device cpu (9.4 GiB)`)
  expect(describePools(offer)[0]).toBe('solver takes 6.7 GiB, and 5.1 GiB of the GPU')
})

test('a GPU of unknown memory gets the models that the machine has memory for, and the reason says so', () => {
  const gpus = (name: string, memoryBytes: number | null) => ({ platform: 'linux-x64', gpus: [{ name, memoryBytes }] })
  const gpuUnknown = whyUnknown({ platform: 'linux-x64', gpus: [] }, 'webgpu') as string
  expect(whyUnknown(gpus('Intel GPU', null), 'webgpu')).toBe('the system does not report that of Intel GPU')
  expect(whyUnknown(gpus('NVIDIA H200', 1), 'webgpu')).toBeNull()
  expect(whyUnknown({ platform: 'darwin-arm64', gpus: [] }, 'webgpu')).toBeNull()
  expect(whyUnknown({ platform: 'linux-x64', gpus: [] }, 'cpu')).toBeNull()

  const offer = { ...machine, freeBytes: 64 * GIB, gpuUnknown }
  const choices = chooseSettings(offer, { environment: 'env.json' })
  const reasonOf = (name: string) => choices.find(({ setting }) => setting === name)?.reason
  const unknown = 'the memory of the GPU is unknown: nvidia-smi does not answer (if it is too small, --device cpu runs'
  expect(reasonOf('role')).toContain(`64.0 GiB of memory free, and ${unknown}`)
  expect(reasonOf('model')).toContain(`on the GPU 9.4 GiB, and ${unknown}`)
})

test('a solver leaves out appeals and bets where there is no memory to load its base once more', () => {
  const [environment, full] = ['env.json', { role: 'solver', threads: 3, model: half.name, lora: 16 }]
  const solving = (free: number, said: object, gpu?: number) =>
    chosen({ freeBytes: free * GIB, gpuBytes: gpu === undefined ? null : gpu * GIB }, { environment, ...said })
  expect(solving(10, {})).toEqual(full)
  expect(solving(8, {})).toEqual({ ...full, ...off })
  // Named settings are kept, and counted.
  expect(solving(8, { appeals: 0, bets: 0 })).toEqual(full)
  expect(solving(8, { appeals: 0 })).toEqual({ ...full, bets: 'off' })
  expect(solving(8, { bets: 3 })).toEqual({ ...full, 'lora-base': 'int8', appeals: 'off' })
  // A GPU keeps its model, without bets: an appeal checks on the CPU.
  expect(solving(512, {}, 8)).toEqual({ ...full, ...off })
  const [, , , , reason] = chooseSettings({ ...machine, freeBytes: 8 * GIB }, { environment }).map(one => one.reason)
  expect(reason).toBe('it would load the base once more, for which the memory is too small')
})

test('a given option is not chosen again', () => {
  const said = { role: 'evaluator', environment: 'env.json', model: 'mine', threads: '2' } as const
  expect(chosen({}, said)).toEqual({})
  expect(chosen({}, { environment: 'env.json', model: 'mine', lora: 8 })).toEqual({ role: 'solver', threads: 3 })
  // A rank of 16 over a model of 1.5 billion parameters could not be published: the role chooses one.
  expect(chosen({}, { environment: 'env.json', model: 'mine' })).toEqual({ role: 'solver', threads: 3 })
  const proposer = { role: 'proposer', environment: 'env.json' } as const
  expect(chosen({}, proposer)).toMatchObject({ model: half.name, proposer: four.name })
  expect(chosen({}, { ...proposer, dataset: 'mbpp.jsonl' })).toEqual({ threads: 3, model: half.name })
})
