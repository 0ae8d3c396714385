import { expect, test } from 'vitest'
import type { RoundClock } from '#chain/rounds/roundClock.ts'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { watchGames } from './watchGames.ts'

test('in a round that has no end games are watched once a minute', async () => {
  const clock = createManualClock()
  const stop = new AbortController()
  const time = { round: 3, startsAtSec: 0, endsAtSec: 2 ** 40 - 1, nowSec: 9, block: 1 }
  const rounds = { recent: async () => time } as unknown as RoundClock
  let polls = 0
  const node = { chain: { rounds }, clock, logger: silentLogger, signal: stop.signal }
  const watching = watchGames(node as unknown as Parameters<typeof watchGames>[0], async () => void polls++)
  for (let minute = 1; minute <= 3; minute++) {
    while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
    expect(polls).toBe(minute)
    clock.advance(60_000)
  }
  stop.abort()
  await watching
})
