import { expect, test } from 'vitest'
import { type Flood, floodJuries } from './floodJuries.ts'

const ALWAYS = () => true

/** Share of false scores that juries put right. */
function righted(
  order: Flood['order'],
  seats: number,
  ownSeats: number,
  rounds: number,
  isFlooded: Flood['isFlooded'] = ALWAYS,
): number {
  const scores = floodJuries({ seats, ownSeats, peers: 6 * seats, reads: 30, falsified: 8, order, isFlooded }, rounds)
  expect(scores.falsified).toBeGreaterThan(0)
  return scores.righted / scores.falsified
}

test('a flood of appeals leaves most false scores unread where the beacon draws, and few where juries read first what is disputed', () => {
  expect(righted('drawn', 33, 7, 60, () => false)).toBeGreaterThan(0.98)
  expect(righted('drawn', 33, 7, 60)).toBeLessThan(0.55)
  expect(righted('disputed', 33, 7, 60)).toBeGreaterThan(0.8)
})

test('a coalition of three tenths that disputes right scores leaves a third unread, and none where juries remember whom they contradicted', () => {
  expect(righted('disputed', 33, 10, 60)).toBeLessThan(0.75)
  expect(righted('recorded', 33, 10, 60)).toBeGreaterThan(righted('drawn', 33, 10, 60, () => false) - 0.03)
})
