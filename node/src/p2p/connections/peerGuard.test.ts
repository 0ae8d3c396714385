import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createPeerGuard } from './peerGuard.ts'

test('penalties add up, and halve every ten minutes', () => {
  const clock = createManualClock()
  const guard = createPeerGuard(clock, silentLogger)
  guard.penalise('a', 40, 'test')
  guard.penalise('a', 40, 'test')
  expect(guard.penaltyOf('a')).toBe(80)
  clock.advance(10 * 60_000)
  expect(guard.penaltyOf('a')).toBe(40)
  expect(guard.penaltyOf('b')).toBe(0)
})

test('a ban ends after ten minutes', () => {
  const clock = createManualClock()
  const guard = createPeerGuard(clock, silentLogger)
  guard.ban('a', 'test')
  expect(guard.isBanned('a')).toBe(true)
  clock.advance(10 * 60_000)
  expect(guard.isBanned('a')).toBe(false)
})

test('bans against peers made up by the thousand push out the oldest, not the memory', () => {
  const guard = createPeerGuard(createManualClock(), silentLogger)
  for (let index = 0; index < 10_001; index += 1) guard.ban(`peer ${index}`, 'test')
  expect(guard.isBanned('peer 0')).toBe(false)
  expect(guard.isBanned('peer 10000')).toBe(true)
})

test('a penalty does not grow where the clock is set back', () => {
  let nowMs = 3_600_000
  const guard = createPeerGuard({ ...createManualClock(), nowMs: () => nowMs }, silentLogger)
  guard.penalise('a', 5, 'test')
  nowMs = 0
  expect(guard.penaltyOf('a')).toBe(5)
})
