import { expect, test } from 'vitest'
import { NodeError } from '#base/errors.ts'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { Clock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { PeerNode } from '../peerNode.ts'
import { everyRound } from './everyRound.ts'

/** A node whose rounds last as long as the work in them, what its journal notes, and how long it waits. */
function scene() {
  const waits: number[] = []
  const clock: Clock = { nowMs: () => 0, sleep: async ms => void waits.push(ms) }
  const stop = new AbortController()
  const notes: string[] = []
  const journal = {
    getState: () => undefined,
    setState: () => {},
    prune: () => {},
    note: (message: string) => notes.push(message),
  }
  const waitFor = async (round: number, signal: AbortSignal): Promise<RoundTime> => {
    signal.throwIfAborted()
    return { round, startsAtSec: round, endsAtSec: round + 1, nowSec: round, block: round }
  }
  const node = {
    chain: { rounds: { waitFor } },
    bundles: { pruneBefore: async () => {}, needFrom: async () => 0 },
    environment: {},
    disk: { untilWritable: async () => {}, isFault: () => false },
    journal,
    clock,
    logger: silentLogger,
    signal: stop.signal,
    setRound: () => {},
  } as unknown as PeerNode
  return { node, notes, stop, waits }
}

test('a role continues with the next round however many have failed, and waits longer each time, up to a limit', async () => {
  const { node, notes, stop, waits } = scene()
  const rounds: number[] = []
  const work = async ({ round }: RoundTime) => {
    rounds.push(round)
    if (round === 12) return stop.abort()
    throw new TypeError('a fault')
  }
  await everyRound(node, work, () => 0.5)
  expect(rounds).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  expect(notes.length).toBe(12)
  expect(waits.slice(0, 8)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
})

test('a role whose rounds fail still deletes what is no longer needed', async () => {
  const { node, stop } = scene()
  const needed: number[] = []
  const needFrom = async (round: number) => needed.push(round)
  const work = async ({ round }: RoundTime) => {
    if (round === 5) stop.abort()
    throw new TypeError('a fault')
  }
  await everyRound({ ...node, bundles: { ...node.bundles, needFrom } }, work, () => 0.5)
  expect(needed.map(round => round - (needed[0] ?? 0))).toEqual([0, 1, 2, 3])
})

test('one round that succeeds makes the next wait short again', async () => {
  const { node, stop, waits } = scene()
  const work = async ({ round }: RoundTime) => {
    if (round === 5) stop.abort()
    if (round !== 3) throw new TypeError('a fault')
  }
  await everyRound(node, work, () => 0.5)
  expect(waits).toEqual([1000, 2000, 4000, 1000])
})

test('a failure before a round is known costs the role no later round', async () => {
  const { node, stop } = scene()
  let asked = 0
  // The chain stands in round 4, and its endpoint rules three times that it knows of no rounds.
  const waitFor = async (round: number) => {
    asked += 1
    if (asked > 1 && asked < 5) throw new TypeError('execution reverted')
    return { round: Math.max(4, round) } as RoundTime
  }
  const rounds: number[] = []
  const work = async ({ round }: RoundTime) => {
    rounds.push(round)
    if (rounds.length === 2) stop.abort()
  }
  await everyRound({ ...node, chain: { ...node.chain, rounds: { ...node.chain.rounds, waitFor } } }, work, () => 0.5)
  expect(rounds).toEqual([4, 5])
})

class WrongSettingError extends NodeError {
  override readonly code = 'WRONG_SETTING'
  override readonly isFinal = true
}

test('an error that waiting cannot mend ends the role', async () => {
  const { node } = scene()
  const failing = everyRound(node, async () => {
    throw new WrongSettingError('Wrong.', { hint: 'Mend it.' })
  })
  await expect(failing).rejects.toThrow(WrongSettingError)
})

test('a role works, and ends with its own error, where nothing old can be deleted', async () => {
  const { node, stop } = scene()
  const prune = () => {
    throw new TypeError('database is locked')
  }
  const rounds: number[] = []
  const failing = everyRound({ ...node, journal: { ...node.journal, prune } }, async ({ round }) => {
    rounds.push(round)
    if (round === 4) throw new WrongSettingError('Wrong.', { hint: 'Mend it.' })
    if (round === 5) stop.abort()
  })
  await expect(failing).rejects.toThrow(WrongSettingError)
  expect(rounds).toEqual([0, 1, 2, 3, 4])
})
