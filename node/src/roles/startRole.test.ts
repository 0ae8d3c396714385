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

const failed = { status: 'reverted', error: 'PeerRegistry_DeadlinePassed', hash: null } as const
const outcomes = [
  failed,
  { status: 'dropped', reason: 'another took its nonce' },
  { status: 'mined', hash: '0x1', block: 1 },
] as const

/** A peer whose third registration is mined. */
function openRegistering(round: number) {
  const seen = { round, asked: 0, announced: 0, slept: [] as number[] }
  const recent = async () => ({ round: seen.round, startsAtSec: 0, endsAtSec: 1, nowSec: 0, block: 1 })
  async function waitFor(next: number) {
    seen.round = next
    return recent()
  }
  const node = {
    chain: {
      peerKey,
      rounds: { read: recent, recent, waitFor },
      registerPeer: async () => outcomes[seen.asked++] ?? { status: 'already registered' as const },
      readCountsFrom: async () => (seen.asked === 3 ? seen.round + 2 : null),
    },
    network: { sayAddresses: () => void seen.announced++ },
    clock: { nowMs: () => 0, sleep: async (ms: number) => void seen.slept.push(ms) },
    ...{ logger: silentLogger, signal: new AbortController().signal },
  }
  return { node, seen }
}

test('a registration that failed is tried again in the next round, and the key then counts from its registration', async () => {
  const { node, seen } = openRegistering(7)
  expect(await register(node, 'solver')).toBe(11)
  expect(seen).toEqual({ round: 9, asked: 3, announced: 1, slept: [] })
})

test('before round 0 a registration that failed is tried again each minute', async () => {
  const { node, seen } = openRegistering(-1)
  await register(node, 'solver')
  expect(seen).toEqual({ round: -1, asked: 3, announced: 1, slept: [60_000, 60_000] })
})
