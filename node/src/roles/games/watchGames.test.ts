import { expect, test } from 'vitest'
import type { RoundClock, RoundTime } from '#chain/rounds/roundClock.ts'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { watchGames } from './watchGames.ts'

const atRest = async (clock: ReturnType<typeof createManualClock>) => {
  while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
}

const writable = { untilWritable: async () => {}, isFault: () => false }

/** Watches games by a clock of rounds, and keeps the round lengths that the polls were told. */
function watched(waitFor: RoundClock['waitFor']) {
  const clock = createManualClock()
  const stop = new AbortController()
  const told: number[] = []
  const { signal } = stop
  const node = {
    chain: { rounds: { waitFor } },
    round: () => null,
    disk: writable,
    clock,
    logger: silentLogger,
    signal,
  }
  const watching = watchGames(node as unknown as Parameters<typeof watchGames>[0], async sec => void told.push(sec))
  const end = () => {
    stop.abort()
    return watching
  }
  return { clock, told, end }
}

test('in a round that has no end games are watched once a minute, and timed by the hour', async () => {
  const time = { round: 3, startsAtSec: 0, endsAtSec: 2 ** 40 - 1, nowSec: 9, block: 1 }
  const { clock, told, end } = watched(async () => time)
  for (let minute = 1; minute <= 3; minute++) {
    await atRest(clock)
    expect(told).toEqual(Array.from({ length: minute }, () => 3_600))
    clock.advance(60_000)
  }
  await end()
})

test('no game is timed before the first round, whose length is unknown until it begins', async () => {
  const begun = Promise.withResolvers<RoundTime>()
  const { clock, told, end } = watched(round => (round === 0 ? begun.promise : Promise.reject(new Error(`${round}`))))
  await new Promise(resolve => setImmediate(resolve))
  expect(told).toEqual([])
  begun.resolve({ round: 0, startsAtSec: 1_000, endsAtSec: 1_020, nowSec: 1_000, block: 1 })
  await atRest(clock)
  expect(told).toEqual([20])
  await end()
})

test('a disk that cannot be written is waited out without a line, and the poll is tried again', async () => {
  const clock = createManualClock()
  const stop = new AbortController()
  const lines: string[] = []
  const fault = new Error('EROFS: read-only file system')
  let waits = 0
  const disk = { untilWritable: async () => void waits++, isFault: (error: unknown) => error === fault }
  const logger = { ...silentLogger, warn: (line: string) => lines.push(line) }
  const round = () => ({ round: 3, startsAtSec: 0, endsAtSec: 60, nowSec: 9, block: 1 })
  const node = { disk, clock, logger, round, signal: stop.signal }
  let polls = 0
  const watching = watchGames(node as unknown as Parameters<typeof watchGames>[0], async () => {
    polls += 1
    if (polls < 3) throw fault
  })
  await atRest(clock)
  expect({ polls, waits, lines }).toEqual({ polls: 3, waits: 3, lines: [] })
  stop.abort()
  await watching
})
