import { expect, test } from 'vitest'
import { ShortageLimit } from './shortageLimit.ts'

/** Successes until the limit differs. */
function successesUntilGrown(limit: ShortageLimit): number {
  const before = limit.limit
  let successes = 0
  while (limit.limit === before) {
    limit.succeed()
    successes++
  }
  return successes
}

test('a limit is half of what failed, and doubles after some successes', () => {
  const limit = new ShortageLimit()
  limit.succeed()
  expect(limit.limit).toBe(Number.POSITIVE_INFINITY)
  limit.halve(100)
  limit.halve(limit.limit)
  expect(limit.limit).toBe(25)
  expect(successesUntilGrown(limit)).toBe(16)
  expect(limit.limit).toBe(50)
})

test('where memory is short again and again, the limit grows less and less often, but does grow', () => {
  const limit = new ShortageLimit()
  const waits = Array.from({ length: 7 }, () => {
    limit.halve(100)
    return successesUntilGrown(limit)
  })
  expect(waits).toEqual([16, 32, 64, 128, 256, 256, 256])
})
