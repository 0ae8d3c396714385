import { expect, test } from 'vitest'
import type { BeaconReading } from '#chain/rounds/beacon.ts'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { createManualClock } from '#core/clock.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import type { PeerNode } from '../peerNode.ts'
import { awaitBeacon, beaconOf, recordBeacon, recordInTime } from './roundBeacon.ts'

const hash: Hex = `0x${'be'.repeat(32)}`
const time: RoundTime = { round: 7, startsAtSec: 0, endsAtSec: 80, nowSec: 0, block: 1 }

/** A node on a chain with the given beacon of round 6; `peerKey` decides when its turn comes. */
function setup(peerKey: Hex, reading: BeaconReading) {
  const stop = new AbortController()
  const clock = createManualClock()
  const calls: string[] = []
  let [reads, number] = [0, 0]
  const send = (name: string) => async (round: number) => {
    calls.push(`${name} ${round}`)
    return { status: 'mined', hash, block: 1 } as const
  }
  const nextBlock = async (until: AbortSignal) => {
    await clock.sleep(300, until)
    number += 1
    return { number }
  }
  const readBeacon = async () => {
    reads += 1
    return reading
  }
  const chain = { nextBlock, readBeacon, fixBeacon: send('fix'), drawBeacon: send('draw') }
  const said: string[] = []
  const write = (line: string) => said.push(JSON.parse(line).message)
  const logger = createLogger({ write, format: 'json', level: 'info', clock })
  const parts = { chain, clock, logger, identity: { peerKey }, signal: stop.signal }
  const told = (next: BeaconReading) => {
    reading = next
  }
  const fallBack = () => {
    number = 0
  }
  return { node: parts as unknown as PeerNode, clock, calls, said, stop, told, fallBack, reads: () => reads }
}

async function asleep(clock: ReturnType<typeof createManualClock>): Promise<void> {
  while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
}

const first: Hex = `0x${'00'.repeat(32)}`
const last: Hex = `0x${'ff'.repeat(32)}`

test('the first in turn fixes the block at once, and takes its hash as soon as it is there', async () => {
  const { node, clock, calls, told } = setup(first, { state: 'none', hash: null })
  const beacon = awaitBeacon(node, time, node.signal)
  await asleep(clock)
  expect(calls).toEqual(['fix 6'])
  clock.advance(300)
  await asleep(clock)
  told({ state: 'fixed', hash })
  clock.advance(300)
  expect(await beacon).toBe(hash)
  expect(calls).toEqual(['fix 6'])
})

test('the last in turn leaves it to the others for an eighth of the round', async () => {
  const { node, clock, calls, said } = setup(last, { state: 'none', hash: null })
  const given = new AbortController()
  const beacon = awaitBeacon(node, time, given.signal)
  for (let ms = 0; ms < 9_600; ms += 300) {
    await asleep(clock)
    expect(calls).toEqual([])
    clock.advance(300)
  }
  await asleep(clock)
  clock.advance(900)
  await asleep(clock)
  expect(calls).toEqual(['fix 6'])
  given.abort()
  expect(await beacon).toBeNull()
  expect(said).toEqual(['beacon fixed', 'no beacon in time'])
})

test('until the block of a beacon is deep, it is not asked for again, unless the chain falls back', async () => {
  const { node, clock, told, reads, fallBack } = setup(first, { state: 'fixed', hash: null, fromBlock: 4 })
  const beacon = awaitBeacon(node, time, node.signal)
  const pass = async (blocks: number) => {
    for (let block = 0; block < blocks; block += 1) {
      await asleep(clock)
      clock.advance(300)
    }
    await asleep(clock)
  }
  await pass(2)
  fallBack()
  expect(reads()).toBe(1)
  await pass(1)
  expect(reads()).toBe(2)
  told({ state: 'fixed', hash })
  await pass(2)
  expect(reads()).toBe(2)
  clock.advance(300)
  expect(await beacon).toBe(hash)
})

test('a void round has none, and the round before the first has zero', async () => {
  const { node, said } = setup(first, { state: 'void', hash: null })
  expect(await awaitBeacon(node, time, node.signal)).toBeNull()
  expect(said).toEqual(['the round is void'])
  expect(await awaitBeacon(node, { ...time, round: 0 }, node.signal)).toBe(ZERO_HASH)
  expect(await beaconOf(node, 6)).toBeNull()
  expect(await beaconOf(node, -1)).toBe(ZERO_HASH)
})

test('a wait ends with the node', async () => {
  const { node, clock, stop } = setup(last, { state: 'none', hash: null })
  const beacon = awaitBeacon(node, time, node.signal)
  await asleep(clock)
  stop.abort(new Error('stop'))
  await expect(beacon).rejects.toThrow('stop')
})

test('a beacon is recorded only where it is fixed and not recorded', async () => {
  const { node, calls, told } = setup(first, { state: 'drawn', hash })
  await recordBeacon(node, 6, node.signal)
  await recordBeacon(node, -1, node.signal)
  expect(calls).toEqual([])
  told({ state: 'fixed', hash })
  await recordBeacon(node, 6, node.signal)
  expect(calls).toEqual(['draw 6'])
})

test('a beacon is recorded from the middle of the round on, in turn, while the peer does something else', async () => {
  const { node, clock, calls } = setup(last, { state: 'fixed', hash })
  recordInTime(node, { ...time, nowSec: 10 })
  await asleep(clock)
  clock.advance(39_000)
  await new Promise(resolve => setImmediate(resolve))
  expect(calls).toEqual([])
  clock.advance(1_100)
  await new Promise(resolve => setImmediate(resolve))
  expect(calls).toEqual(['draw 6'])
})

test('a beacon that is fixed late is recorded all the same', async () => {
  const { node, clock, calls, told } = setup(first, { state: 'none', hash: null })
  recordInTime(node, time)
  await asleep(clock)
  clock.advance(60_000)
  await asleep(clock)
  expect(calls).toEqual([])
  told({ state: 'fixed', hash })
  clock.advance(5_000)
  await new Promise(resolve => setImmediate(resolve))
  expect(calls).toEqual(['draw 6'])
})

test('a beacon that the first vote recorded is not recorded again', async () => {
  const { node, clock, calls } = setup(first, { state: 'drawn', hash })
  recordInTime(node, time)
  await asleep(clock)
  clock.advance(80_000)
  await new Promise(resolve => setImmediate(resolve))
  expect(calls).toEqual([])
})

test('in the first round nothing is waited for', () => {
  const { node, clock } = setup(first, { state: 'none', hash: null })
  const asked: number[] = []
  const noting = { ...clock, sleep: async (ms: number) => void asked.push(ms) }
  recordInTime({ ...node, clock: noting }, { ...time, round: 0 })
  expect(asked).toEqual([])
})
