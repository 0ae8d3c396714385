import { expect, test } from 'vitest'
import { floodJuries } from './floodJuries.ts'

/** Share of false scores that juries put right. */
function righted(
  order: 'disputed' | 'drawn',
  seats: number,
  ownSeats: number,
  rounds: number,
  isFlooded = true,
): number {
  const scores = floodJuries({ seats, ownSeats, peers: 6 * seats, reads: 30, falsified: 8, order, isFlooded }, rounds)
  expect(scores.falsified).toBeGreaterThan(0)
  return scores.righted / scores.falsified
}

test('a flood of appeals leaves most false scores unread where the beacon draws, and few where juries read first what is disputed', () => {
  expect(righted('drawn', 33, 7, 60, false)).toBeGreaterThan(0.98)
  expect(righted('drawn', 33, 7, 60)).toBeLessThan(0.55)
  expect(righted('disputed', 33, 7, 60)).toBeGreaterThan(0.8)
})
