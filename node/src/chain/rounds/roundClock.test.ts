import { eachContract } from '@waggle/deployments/contractNames'
import {
  createPublicClient,
  custom,
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  toHex,
} from 'viem'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import type { FollowedChain } from '../connectChain.ts'
import { contractsOf } from '../contracts.ts'
import { createHeads } from '../guard/heads.ts'
import { blockAtTime } from './blockAtTime.ts'
import { createRoundClock } from './roundClock.ts'

const STARTS_AT_SEC = 1000
const ROUND_SECONDS = 10
const contract = { address: `0x${'11'.repeat(20)}`, startBlock: 0 } as const
const contracts = contractsOf({
  network: 'test',
  chainId: 31337,
  contracts: eachContract(() => contract),
})

/** A chain of rounds of 10 s from 1000 on, with a block of each time given. */
function setup() {
  const times = [990]
  const calls = { rounds: 0 }
  const { abi } = contracts.rounds
  const view = (data: Hex) => {
    calls.rounds++
    const { functionName, args } = decodeFunctionData({ abi, data })
    const value = Number((args as readonly bigint[])[0])
    if (functionName === 'roundAt') {
      if (value < STARTS_AT_SEC)
        throw {
          code: 3,
          message: 'execution reverted',
          data: encodeErrorResult({ abi, errorName: 'Rounds_NotStarted', args: [BigInt(value), 1000n] }),
        }
      const round = BigInt(Math.floor((value - STARTS_AT_SEC) / ROUND_SECONDS))
      return encodeFunctionResult({ abi, functionName, result: round })
    }
    if (functionName !== 'startOf' && functionName !== 'endOf') throw new Error(functionName)
    const isFalse = functionName === 'endOf' && falseEnds-- > 0
    const round = isFalse ? 1_000_000 : functionName === 'endOf' ? value + 1 : value
    return encodeFunctionResult({ abi, functionName, result: BigInt(STARTS_AT_SEC + round * ROUND_SECONDS) })
  }
  let down = false
  let refusing = false
  let falseEnds = 0
  const request = async ({ method, params }: { method: string; params: unknown[] }): Promise<unknown> => {
    if (method === 'eth_call' && refusing) throw { code: 3, message: 'execution reverted' }
    if (method === 'eth_call') return view((params[0] as { data: Hex }).data)
    const number = params[0] === 'latest' ? times.length - 1 : Number(params[0])
    return { number: toHex(number), timestamp: toHex(times[number] ?? 0), transactions: [] }
  }
  const rpc = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
  const clock = createManualClock()
  const readHead = async () => {
    if (down) throw new ChainUnreachableError('down', { hint: 'wait', retryable: true })
    const number = times.length - 1
    return { number, timeSec: times[number] ?? 0, hash: toHex(number), atMs: clock.nowMs() }
  }
  const heads = createHeads({ readHead, clock, signal: undefined, pollMs: 100 })
  const chain = { rpc, rpcUrl: 'http://127.0.0.1:1', heads }
  const rounds = createRoundClock(chain, contracts)
  const setDown = (value: boolean) => {
    down = value
  }
  const setRefusing = (value: boolean) => {
    refusing = value
  }
  const lieAboutEnds = (count: number) => {
    falseEnds = count
  }
  return { times, calls, chain, clock, rounds, setDown, setRefusing, lieAboutEnds }
}

/** Lets the code under test run until it sleeps. */
async function asleep(clock: ReturnType<typeof createManualClock>): Promise<void> {
  while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
}

test('before the start there is no round, then the span of each is asked for once', async () => {
  const { times, calls, rounds } = setup()
  expect(await rounds.read()).toEqual({ round: -1, startsAtSec: 0, endsAtSec: 1000, nowSec: 990, block: 0 })
  times.push(1023)
  expect(await rounds.read()).toEqual({ round: 2, startsAtSec: 1020, endsAtSec: 1030, nowSec: 1023, block: 1 })
  const before = calls.rounds
  times.push(1029)
  expect((await rounds.read()).nowSec).toBe(1029)
  expect(calls.rounds).toBe(before)
  times.push(1030)
  expect((await rounds.read()).round).toBe(3)
})

test('a wait ends in the round that the chain has reached, however many it skipped', async () => {
  const { times, clock, rounds } = setup()
  const waited = rounds.waitFor(1, new AbortController().signal)
  await asleep(clock)
  times.push(1075)
  clock.advance(100)
  expect((await waited).round).toBe(7)
})

test('a wait for a round that the chain said it had reached ends when that turns out false', async () => {
  const { times, clock, rounds } = setup()
  times.push(900_000)
  const { round } = await rounds.read()
  const waited = rounds.waitFor(round + 1, new AbortController().signal)
  await asleep(clock)
  times.push(1_005)
  clock.advance(100)
  expect((await waited).round).toBe(0)
})

test('such a wait ends too if another reader was the first to see that it was false', async () => {
  const { times, clock, rounds } = setup()
  times.push(900_000)
  const { round } = await rounds.read()
  times.push(1_005)
  expect((await rounds.read()).round).toBe(0)
  const { signal } = new AbortController()
  expect((await rounds.waitFor(round + 1, signal)).round).toBe(0)
  const next = rounds.waitFor(1, signal)
  await asleep(clock)
  times.push(1_012)
  clock.advance(100)
  expect((await next).round).toBe(1)
})

test('a false head ends no wait for another round that is still to come', async () => {
  const { times, clock, rounds } = setup()
  times.push(900_000)
  await rounds.read()
  times.push(1_005)
  expect((await rounds.read()).round).toBe(0)
  const waited = rounds.waitFor(9, new AbortController().signal)
  await asleep(clock)
  times.push(1_092)
  clock.advance(100)
  expect((await waited).round).toBe(9)
})

test('an endpoint that says the contract reverts is waited out', async () => {
  const { times, clock, rounds, setRefusing } = setup()
  times.push(1001)
  setRefusing(true)
  await expect(rounds.read()).rejects.toThrow(ChainUnreachableError)
  const waited = rounds.waitFor(0, new AbortController().signal)
  await asleep(clock)
  setRefusing(false)
  times.push(1002)
  clock.advance(100)
  expect((await waited).round).toBe(0)
})

test('one false end of a round holds up no peer until then', async () => {
  const { times, clock, rounds, lieAboutEnds } = setup()
  times.push(1001)
  lieAboutEnds(1)
  await expect(rounds.read()).rejects.toThrow('two ends of round 0')
  expect(await rounds.read()).toMatchObject({ round: 0, endsAtSec: 1010 })
  lieAboutEnds(1)
  times.push(1011)
  clock.advance(100)
  const waited = rounds.waitFor(2, new AbortController().signal)
  await asleep(clock)
  times.push(1021)
  clock.advance(100)
  expect((await waited).round).toBe(2)
})

test('a wait outlives an outage of the chain, and ends with its signal', async () => {
  const { times, clock, rounds, setDown } = setup()
  const stop = new AbortController()
  setDown(true)
  const waited = rounds.waitFor(0, stop.signal)
  await asleep(clock)
  setDown(false)
  times.push(1001)
  clock.advance(100)
  expect((await waited).round).toBe(0)
  const never = rounds.waitFor(50, stop.signal)
  await asleep(clock)
  stop.abort(new Error('stop'))
  await expect(never).rejects.toThrow('stop')
})

test('the first block at or after a time is found, and none that is still to come', async () => {
  const { times, chain } = setup()
  for (let time = 1000; time < 1100; time += 3) times.push(time)
  const head = await chain.heads.read()
  for (const wanted of [1000, 1001, 1050, 1099]) {
    const block = await blockAtTime(chain, wanted, 0, head)
    expect(block).toBe(times.findIndex(time => time >= wanted))
  }
  expect(await blockAtTime(chain, 1100, 0, head)).toBeNull()
})

test('between seen blocks the first at a time takes two reads, and at most a bisection of uneven blocks', async () => {
  const searchedIn = async (times: readonly number[], wanted: number) => {
    let reads = 0
    const getBlock = async ({ blockNumber }: { blockNumber: bigint }) => {
      reads++
      return { timestamp: BigInt(times[Number(blockNumber)] as number) }
    }
    const at = (number: number) => ({ number, timeSec: times[number] as number })
    const heads = { around: () => ({ before: at(0), from: undefined }) }
    const chain = { rpc: { getBlock }, rpcUrl: 'test', heads } as unknown as FollowedChain
    const block = await blockAtTime(chain, wanted, 0, at(times.length - 1))
    expect(block).toBe(times.findIndex(time => time >= wanted))
    return reads
  }
  const even = Array.from({ length: 1000 }, (_, i) => 1000 + 12 * i)
  for (const wanted of [1001, 1012, 5000, 5008, 12_000, 12_988]) expect(await searchedIn(even, wanted)).toBeLessThan(3)
  // All blocks but the last in the first seconds, and all but the first in the last ones.
  const early = Array.from({ length: 1000 }, (_, i) => (i === 999 ? 1_000_000 : 1000 + i))
  const late = Array.from({ length: 1000 }, (_, i) => (i === 0 ? 1000 : 1_000_000 + i))
  for (const times of [early, late])
    for (const wanted of [1001, 1500, 999_999, 1_000_000])
      expect(await searchedIn(times, wanted)).toBeLessThanOrEqual(3 * Math.ceil(Math.log2(1000)))
})
