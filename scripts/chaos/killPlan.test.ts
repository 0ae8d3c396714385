import { expect, test } from 'vitest'
import { createKillPlan } from './killPlan.ts'

const NAMES = ['chain', 'indexer', 'peer-gateway', 'peer-solver-1']

/** All kills of a plan, the processes told in this order. */
function killsOf(seed: string, names: readonly string[]) {
  const plan = createKillPlan(seed, 100, 1_000_000)
  return Array.from({ length: 100 }, () => ({ afterMs: plan.waitMs(), name: plan.choose(names) }))
}

test('a seed kills the same processes at the same times, in whatever order they came up', () => {
  const kills = killsOf('a', NAMES)
  expect(kills).toEqual(killsOf('a', NAMES.toReversed()))
  expect(kills).not.toEqual(killsOf('b', NAMES))
  expect(new Set(kills.map(({ name }) => name))).toEqual(new Set(NAMES))
  const span = kills.reduce((sum, { afterMs }) => sum + afterMs, 0)
  expect(span).toBeGreaterThan(900_000)
  expect(span).toBeLessThan(1_100_000)
})

test('no process is killed while none runs', () => {
  expect(createKillPlan('a', 1, 1).choose([])).toBeNull()
})
