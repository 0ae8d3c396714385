import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createPatience } from '#core/patience.ts'
import { AskedTooOftenError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'
import { patientEndpoint } from './patientEndpoint.ts'
import { requestOnce } from './requestOnce.ts'

const call = { method: 'eth_getLogs' }

/** A command's requests to endpoints, of which each refuses for its rate until a time. */
function openScene(...freeAtMs: number[]) {
  const clock = createManualClock()
  const said: string[] = []
  const patience = createPatience(120_000, clock, line => said.push(line))
  const asked = freeAtMs.map(() => 0)
  const endpoints = freeAtMs.map((freeMs, at): Endpoint => {
    const origin = `https://${at}.example`
    async function ask() {
      asked[at] = (asked[at] ?? 0) + 1
      if (clock.nowMs() >= freeMs) return at
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

test('a limit that lasts ends with the patience of the command', async () => {
  const { clock, patientOnes, pass } = openScene(Number.POSITIVE_INFINITY)
  await expect(pass(requestOnce(patientOnes, clock)(call))).rejects.toMatchObject({
    ...{ code: 'CHAIN_UNREACHABLE', retryable: true, hint: expect.stringContaining('WAGGLE_PATIENCE') },
  })
  expect(clock.nowMs()).toBeLessThan(140_000)
})

test('an endpoint without a limit answers at once instead of one that has it', async () => {
  const { clock, asked, patientOnes, pass } = openScene(30_000, 0)
  expect(await pass(requestOnce(patientOnes, clock)(call))).toBe(1)
  expect([asked, clock.nowMs()]).toEqual([[1, 1], 0])
})

test('a caller without patience gets the refusal after three requests', async () => {
  const { clock, asked, endpoints, pass } = openScene(30_000)
  await expect(pass(requestOnce(endpoints, clock)(call))).rejects.toThrow('rate limit')
  expect(asked).toEqual([3])
})
