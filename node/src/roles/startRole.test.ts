import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { createLogger, silentLogger } from '#core/logger.ts'
import { firstRoundOf, register } from './startRole.ts'

const peerKey = `0x${'01'.repeat(32)}` as const

async function ask(countsFrom: number | null, round: number) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => lines.push(JSON.parse(line))
  const logger = createLogger({ write, format: 'json', level: 'info', clock: systemClock })
  const time = { round, startsAtSec: 0, endsAtSec: 1, nowSec: 0, block: 1 }
  const recent = async () => time
  const rounds = { read: recent, recent, waitFor: recent }
  return {
    found: await firstRoundOf({ chain: { peerKey, rounds, readCountsFrom: async () => countsFrom }, logger }),
    lines,
  }
}

test('a peer says which round its key counts from, and nothing once it does', async () => {
  const early = await ask(9, 7)
  expect(early.found).toBe(9)
  expect(early.lines).toMatchObject([{ round: 7, countsFrom: 9, hint: expect.stringContaining('in round 9') }])
  for (const [countsFrom, round] of [
    [9, 9],
    [0, -1],
    [null, 3],
  ] as const)
    expect(await ask(countsFrom, round)).toEqual({ found: countsFrom ?? 0, lines: [] })
})

test('a registration that failed is tried again in the next round, and the key then counts from its registration', async () => {
  const failed = { status: 'reverted', error: 'PeerRegistry_DeadlinePassed', hash: null } as const
  const outcomes = [
    failed,
    { status: 'dropped', reason: 'another took its nonce' },
    { status: 'mined', hash: '0x1', block: 1 },
  ] as const
  let [round, asked, announced] = [7, 0, 0]
  const recent = async () => ({ round, startsAtSec: 0, endsAtSec: 1, nowSec: 0, block: 1 })
  async function waitFor(next: number) {
    round = next
    return recent()
  }
  const registerPeer = async () => outcomes[asked++] ?? { status: 'already registered' as const }
  const node = {
    chain: {
      peerKey,
      rounds: { read: recent, recent, waitFor },
      registerPeer,
      readCountsFrom: async () => (asked === 3 ? round + 2 : null),
    },
    network: { sayAddresses: () => void announced++ },
    ...{ logger: silentLogger, signal: new AbortController().signal },
  }
  expect(await register(node, 'solver')).toBe(11)
  expect([asked, round, announced]).toEqual([3, 9, 1])
})
