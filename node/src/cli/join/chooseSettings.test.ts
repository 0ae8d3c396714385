import { expect, test } from 'vitest'
import { chatModels } from './chatPools.ts'
import { chooseSettings } from './chooseSettings.ts'
import { memoryNeeded } from './memoryNeeded.ts'

const GIB = 2 ** 30
const machine: Parameters<typeof chooseSettings>[0] = {
  cores: 4,
  gpus: [],
  freeBytes: 9 * GIB,
  isLocalChain: false,
  judgeParameters: 1_543_714_304,
}
const chosen = (offer: Partial<typeof machine>, said = {}) =>
  Object.fromEntries(chooseSettings({ ...machine, ...offer }, said).map(({ setting, value }) => [setting, value]))

test('what a peer does follows from what the machine has', () => {
  expect(chosen({})).toEqual({ role: 'solver', threads: 3 })
  expect(chosen({ cores: 1 })).toEqual({ role: 'solver', threads: 1 })
  expect(chosen({ freeBytes: GIB / 2 })).toEqual({ role: 'gateway' })
  expect(chosen({ isLocalChain: true })).toMatchObject({ listen: ['/ip4/127.0.0.1/tcp/0'] })
  const environment = 'env.json'
  expect(chosen({}, { environment })).toEqual({
    ...{ role: 'solver', threads: 3 },
    // Over a base in float32: what is sampled over 8 bits earns nothing.
    ...{ model: chatModels[0].name, lora: 16 },
  })
  const gpus = [{ name: 'H100', memoryBytes: 80 * GIB }]
  const gpu = { gpus, freeBytes: 64 * GIB }
  expect(chosen(gpu, { environment })).toMatchObject({ model: chatModels[1].name })
  expect(chosen({ gpus }, { environment })).toMatchObject({ model: chatModels[0].name })
  expect(chosen({ freeBytes: 4 * GIB }, { environment })).toEqual({ role: 'gateway' })
  // A judge of four billion leaves too little, and none leaves enough of 6 GiB.
  expect(chosen({ judgeParameters: 4_022_468_096 }, { environment })).toEqual({ role: 'gateway' })
  expect(chosen({ freeBytes: 6 * GIB, judgeParameters: 0 }, { environment })).toMatchObject({ role: 'solver' })
})

test('half a billion parameters fit 8 GiB by an adapter, and not whole', () => {
  const half = { role: 'solver', parameters: chatModels[0].parameters, judgeParameters: 0 } as const
  expect(memoryNeeded({ ...half, trained: 'adapter' })).toBeLessThan(6 * GIB)
  expect(memoryNeeded({ ...half, trained: 'weights' })).toBeGreaterThan(13 * GIB)
  expect(memoryNeeded({ ...half, role: 'gateway', trained: 'adapter' })).toBe(0)
  // Qwen3-4B proposes in 8 bits, and no judge is loaded with it.
  const proposer = { role: 'proposer', parameters: 4_022_468_096, judgeParameters: half.parameters } as const
  expect(memoryNeeded({ ...proposer, trained: 'adapter' })).toBeLessThan(8 * GIB)
})

test('what is said is not chosen again', () => {
  const said = { role: 'evaluator', environment: 'env.json', model: 'mine', threads: '2' }
  expect(chosen({}, said)).toEqual({})
  expect(chosen({}, { environment: 'env.json', model: 'mine', lora: '8' })).toEqual({ role: 'solver', threads: 3 })
})
