import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { appealStep, staggerAppeals } from './staggerAppeals.ts'

const key = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
const CHAIN_ID = 1
const finding = { round: 4, peerKey: key(1), level: 1, settledMilli: 0, foundMilli: 700 } as const

test('few of those that find the same appeal it at once, whatever their number', () => {
  const SCORES = 8
  for (const [peers, finders] of [
    [3, 3],
    [30, 30],
    [250, 250],
    [4_000, 5],
  ] as const) {
    let sent = 0
    for (let round = 0; round < SCORES; round++) {
      const steps = Array.from({ length: finders }, (_, at) =>
        appealStep({ chainId: CHAIN_ID, identity: { peerKey: key(2 + at) } }, { round, peerKey: key(1) }, peers),
      )
      // A peer whose step is two later sees the first one mined.
      const first = Math.min(...steps)
      sent += steps.filter(step => step < first + 2).length
    }
    expect(sent / SCORES).toBeLessThan(5)
  }
})

/** Peers that found the same at the same moment, on a chain that mines an appeal in six seconds. */
function setup(peers: number) {
  const clock = createManualClock()
  const appealed: { by: number; atMs: number }[] = []
  const mined = () => appealed.some(({ atMs }) => clock.nowMs() >= atMs + 6_000)
  const appeals = Array.from({ length: peers }, (_, by) => {
    const chain = {
      account: key(by),
      readCase: async () => ({ level: mined() ? 1 : 0 }),
      readAppealBond: async () => 1n,
      readBalance: async () => 100n,
      async appealScore() {
        appealed.push({ by, atMs: clock.nowMs() })
        return { status: 'mined' }
      },
    }
    const node = {
      ...{ chain, chainId: CHAIN_ID, identity: { peerKey: key(1 + by) }, clock, logger: silentLogger },
      ...{ journal: createJournal(openDatabase(':memory:'), clock), appealCounts: new Map() },
      signal: new AbortController().signal,
    } as unknown as PeerNode
    return staggerAppeals(node, { peers, maxAppeals: 2, roundMs: 240_000, endsAtMs: 120_000 })
  })
  async function pass(seconds: number): Promise<void> {
    for (let at = 0; at < seconds; at++) {
      clock.advance(1_000)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  return { appeals, appealed, pass }
}

test('the owner of a score appeals at once, and thirty others that found the same do not', async () => {
  const { appeals, appealed, pass } = setup(31)
  for (const each of appeals) each.take(finding)
  await pass(60)
  await Promise.all(appeals.map(each => each.done()))
  expect(appealed.map(({ by }) => by)).toEqual([0])
})

test('if that peer does nothing, another appeals within a quarter of the round', async () => {
  const { appeals, appealed, pass } = setup(31)
  for (const each of appeals.slice(1)) each.take(finding)
  await pass(60)
  await Promise.all(appeals.map(each => each.done()))
  expect(appealed.length).toBeGreaterThan(0)
  expect(appealed.length).toBeLessThan(4)
})
