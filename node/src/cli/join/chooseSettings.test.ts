import { expect, test } from 'vitest'
import { chooseSettings, pools } from './chooseSettings.ts'

const GIB = 2 ** 30
const machine: Parameters<typeof chooseSettings>[0] = { cores: 4, gpus: [], freeBytes: 8 * GIB, isLocalChain: false }
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
    ...{ model: pools.small, lora: 16 },
  })
  const gpus = [{ name: 'H100', memoryBytes: 80 * GIB }]
  expect(chosen({ gpus }, { environment })).toMatchObject({ model: pools.large })
})

test('what is said is not chosen again', () => {
  const said = { role: 'evaluator', environment: 'env.json', model: 'mine', threads: '2' }
  expect(chosen({}, said)).toEqual({})
  expect(chosen({}, { environment: 'env.json', model: 'mine', lora: '8' })).toEqual({ role: 'solver', threads: 3 })
})
