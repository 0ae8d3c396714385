import { SHARD_PEERS } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import type { PeerNode } from '../peerNode.ts'
import { settleRound } from './settleRound.ts'

const key = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`
const time = { round: 10, startsAtSec: 0, endsAtSec: 600, nowSec: 0, block: 1 }

/** Seats that settle the same round of so many shards; each page lands a block of 2 s later. */
function setup(shards: number, seatCount: number, awake = seatCount, busyMs = 0, annulled: Hex[] = []) {
  const clock = createManualClock()
  const commitments = Array.from({ length: shards * SHARD_PEERS }, (_, ordinal) => ({
    ...{ peerKey: key(100_000 + ordinal), ordinal },
  })) as RolloutCommitment[]
  const seats = Array.from({ length: seatCount }, (_, seat) => key(1 + seat))
  const settled: { peerKey: Hex; scoreMilli: number }[] = []
  const sent: { seat: Hex; shard: number; atMs: number }[] = []
  const end = new AbortController()
  const run = (seat: Hex) => {
    const chain = {
      readRolloutCommitments: async () => commitments,
      readBeacon: async () => ({ state: 'drawn', hash: key(7) }),
      readSeats: async () => seats,
      readSettlements: async () => [...settled],
      readAnnulled: async () => annulled,
      async settle({ shard, peerKeys }: { shard: number; peerKeys: Hex[] }) {
        sent.push({ seat, shard, atMs: clock.nowMs() })
        await clock.sleep(2_000, end.signal)
        const counted = peerKeys.filter(peerKey => !annulled.includes(peerKey))
        settled.push(...counted.map(peerKey => ({ peerKey, scoreMilli: 1 })))
        return { status: 'mined', hash: key(1), block: 1 }
      },
    }
    const parts = { chain, chainId: 1, clock, logger: silentLogger, identity: { peerKey: seat }, signal: end.signal }
    return settleRound(parts as unknown as PeerNode, 7, { time, atMs: -busyMs })
  }
  /** Lets the round pass. */
  async function play() {
    const done = Promise.all(seats.slice(0, awake).map(run))
    let isOver = false
    void done.finally(() => {
      isOver = true
    })
    for (let sec = 0; sec < 600 && !isOver; sec += 1) {
      for (let turn = 0; turn < 40; turn += 1) await Promise.resolve()
      await new Promise(resolve => setImmediate(resolve))
      clock.advance(1_000)
    }
    await done
    return { sent, settled: new Set(settled.map(({ peerKey }) => peerKey)).size }
  }
  return { play }
}

test('if all seats are present, each of 40 shards is settled once, all within two blocks', async () => {
  const { sent, settled } = await setup(40, 50).play()
  expect(settled).toBe(40 * SHARD_PEERS)
  expect(sent).toHaveLength(40)
  expect(Math.max(...sent.map(({ atMs }) => atMs))).toBeLessThan(4_000)
})

test('if most seats are absent, the rest is settled after a third of the round, and seldom twice', async () => {
  const { sent, settled } = await setup(64, 30, 3).play()
  expect(settled).toBe(64 * SHARD_PEERS)
  expect(sent.length).toBeLessThan(64 * 1.4)
  expect(new Set(sent.map(({ seat }) => seat)).size).toBe(3)
})

test('nobody settles a peer that lost the round before: the chain never gives it a settlement', async () => {
  const { sent, settled } = await setup(2, 12, 12, 0, [key(100_000)]).play()
  expect(settled).toBe(2 * SHARD_PEERS - 1)
  expect(sent).toHaveLength(2)
})

test('a seat that was busy until late in the round waits for nothing more', async () => {
  const { sent } = await setup(1, 12, 1, 350_000).play()
  expect(sent.map(({ atMs }) => atMs)).toEqual([0])
})

test('a seat that was busy into the last quarter sends nothing: the chain would refuse it', async () => {
  expect((await setup(1, 12, 1, 450_000).play()).sent).toEqual([])
})

test('paging stops when the last quarter begins', async () => {
  const { sent, settled } = await setup(80, 90, 1, 430_000).play()
  expect(settled).toBeLessThan(80 * SHARD_PEERS)
  expect(Math.max(...sent.map(({ atMs }) => atMs))).toBeLessThan(20_000)
  expect(sent.length).toBeGreaterThan(64)
})
