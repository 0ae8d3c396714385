import { RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createPatience } from '#core/patience.ts'
import { AskedTooOftenError, ChainUnreachableError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'
import { patientEndpoint } from './patientEndpoint.ts'
import { requestOnce } from './requestOnce.ts'

const call = { method: 'eth_getLogs' }

const estimate = { method: 'eth_estimateGas', params: [{}] }

const view = { method: 'eth_call', params: [{}, 'latest'] }

/** A command's requests to endpoints, of which each refuses for its rate until a time, is down, lacks the method, or says that the call reverts. */
function openScene(...kinds: (number | 'down' | 'lacking' | 'reverting')[]) {
  const clock = createManualClock()
  const said: string[] = []
  const patience = createPatience(120_000, clock, line => said.push(line))
  const asked = kinds.map(() => 0)
  const endpoints = kinds.map((kind, at): Endpoint => {
    const origin = `https://${at}.example`
    async function ask() {
      asked[at] = (asked[at] ?? 0) + 1
      if (kind === 'down') throw new ChainUnreachableError('no connection', { hint: 'wait', retryable: true })
      const refusals = {
        reverting: { code: 3, message: 'reverted', data: '0x12345678' },
        lacking: { code: -32601, message: 'method not available' },
      }
      if (typeof kind === 'string') throw new RpcRequestError({ body: {}, error: refusals[kind], url: origin })
      if (clock.nowMs() >= kind) return at
      throw new AskedTooOftenError('rate limit exceeded', { hint: 'ask later', retryable: true })
    }
    return { origin, ask }
  })
  const patientOnes = endpoints.map(endpoint => patientEndpoint(endpoint, patience, clock))
  /** Lets time pass while the request waits. */
  async function pass<T>(request: Promise<T>): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    request.then(over, over)
    while (!isOver) {
      await new Promise(setImmediate)
      if (!isOver) clock.advance(250)
    }
    return request
  }
  return { clock, said, asked, endpoints, patientOnes, pass }
}

test('a command waits out a limit on its rate of requests, and asks less often each time', async () => {
  const { clock, said, asked, patientOnes, pass } = openScene(30_000)
  expect(await pass(requestOnce(patientOnes, clock)(call))).toBe(0)
  expect(asked).toEqual([6])
  expect(clock.nowMs()).toBeLessThan(33_000)
  expect(said[0]).toContain('Waiting for https://0.example (eth_getLogs, refused: too many requests)')
})

test('a limit that lasts ends with the patience of the command, in the words of the endpoint', async () => {
  const { clock, patientOnes, pass } = openScene(Number.POSITIVE_INFINITY)
  await expect(pass(requestOnce(patientOnes, clock)(call))).rejects.toMatchObject({
    ...{ code: 'CHAIN_UNREACHABLE', retryable: true, hint: expect.stringContaining('WAGGLE_PATIENCE') },
    message: 'rate limit exceeded',
  })
  expect(clock.nowMs()).toBeLessThan(140_000)
})

test('an endpoint without a limit answers at once instead of one that has it', async () => {
  const { clock, asked, patientOnes, pass } = openScene(30_000, 0)
  expect(await pass(requestOnce(patientOnes, clock)(call))).toBe(1)
  expect([asked, clock.nowMs()]).toEqual([[1, 1], 0])
})

test.each([
  [[30_000, 'down'], 0],
  [['down', 30_000], 1],
  [[40_000, 30_000, 'down'], 1],
] as const)('a limit is waited out although another endpoint is down: %j', async (kinds, answers) => {
  const { clock, patientOnes, pass } = openScene(...kinds)
  expect(await pass(requestOnce(patientOnes, clock)(call))).toBe(answers)
  expect(clock.nowMs()).toBeLessThan(40_000)
})

test('a revert of one endpoint waits for another that is limited, and counts if the other is down', async () => {
  const limited = openScene('reverting', 30_000)
  expect(await limited.pass(requestOnce(limited.patientOnes, limited.clock)(view))).toBe(1)
  expect(limited.asked[0]).toBe(2)
  const down = openScene('reverting', 'down')
  await expect(down.pass(requestOnce(down.patientOnes, down.clock)(view))).rejects.toThrow('reverted')
  expect(down.asked).toEqual([2, 2])
  const both = openScene('reverting', 'reverting', 0)
  await expect(both.pass(requestOnce(both.patientOnes, both.clock)(view))).rejects.toThrow('reverted')
  expect(both.asked).toEqual([1, 1, 0])
})

test('a refusal in words that decide nothing sends the call to the other endpoints, once', async () => {
  const { clock, asked, patientOnes, pass } = openScene('lacking', 'down', 0)
  expect(await pass(requestOnce(patientOnes, clock)(estimate))).toBe(2)
  expect(asked).toEqual([1, 1, 1])
  const both = openScene('lacking', 'reverting')
  await expect(both.pass(requestOnce(both.patientOnes, both.clock)(estimate))).rejects.toThrow('reverted')
  const none = openScene('lacking', 'down')
  await expect(none.pass(requestOnce(none.patientOnes, none.clock)(estimate))).rejects.toThrow('method not available')
  expect(none.asked).toEqual([1, 2])
  const one = openScene('lacking')
  await expect(one.pass(requestOnce(one.patientOnes, one.clock)(estimate))).rejects.toThrow('method not available')
  expect(one.asked).toEqual([1])
})

test.each([
  { kinds: ['lacking', 'down'], asked: [1, 2] },
  { kinds: ['down', 'lacking'], asked: [2, 1] },
] as const)(
  'a transaction may have reached a pool whose answer was lost, whatever another one says: $kinds',
  async scene => {
    const { clock, asked, patientOnes, pass } = openScene(...scene.kinds)
    const sending = requestOnce(patientOnes, clock)({ method: 'eth_sendRawTransaction', params: ['0x02'] })
    await expect(pass(sending)).rejects.toThrow('no connection')
    expect(asked).toEqual(scene.asked)
  },
)

test('each of many endpoints is asked', async () => {
  const { clock, asked, patientOnes, pass } = openScene('down', 'down', 'down', 0)
  expect(await pass(requestOnce(patientOnes, clock)(call))).toBe(3)
  expect(asked).toEqual([1, 1, 1, 1])
})

test('a caller without patience gets the refusal after three requests', async () => {
  const { clock, asked, endpoints, pass } = openScene(30_000)
  await expect(pass(requestOnce(endpoints, clock)(call))).rejects.toThrow('rate limit')
  expect(asked).toEqual([3])
})
