import { expect, test } from 'vitest'
import { type Answerer, limitSec, shares } from './timeLimits.ts'

/** Seconds that each question gets if the first hang, and the others answer in some seconds. */
function limitsOf(answerer: Answerer, startSec: number, hanging: number, answersInSec = 5): number[] {
  let elapsed = startSec
  return Array.from({ length: shares[answerer].questions }, (_, i) => {
    const limit = limitSec(answerer, elapsed, i)
    elapsed += i < hanging ? limit : Math.min(limit, answersInSec)
    return limit
  })
}

test('A question that hangs leaves time for each later one, of its own kind and of the others.', () => {
  expect(limitsOf('own', 20, 1)).toEqual([90, 85, ...Array(9).fill(90)])
  const three = limitsOf('own', 60, 3)
  expect(three.slice(0, 3)).toEqual([90, 45, 15])
  for (const limit of three.slice(3)) expect(limit).toBeGreaterThanOrEqual(15)
  expect(limitsOf('torch', 330, 8)).toEqual([30, ...Array(7).fill(20)])
  expect(limitsOf('cpu', 500, 4)).toEqual([20, 15, 15, 15])
  // Checks of numbers go before the round, which takes longest.
  expect(limitsOf('cpu', 500, 0)[3]).toBe(50)
})

test('A run in which nothing answers ends before ten minutes, and a late question gets no time.', () => {
  let elapsed = 100
  for (const answerer of ['own', 'torch', 'cpu'] as const)
    elapsed += limitsOf(answerer, elapsed, 8).reduce((sum, limit) => sum + limit, 0)
  expect(elapsed).toBeLessThanOrEqual(565)
  expect(limitSec('own', 400, 0)).toBe(0)
})

test('After a late begin each question has its least until no time is left.', () => {
  expect(limitsOf('own', 280, 8)).toEqual([15, 15, 15, 5, ...Array(7).fill(0)])
})
