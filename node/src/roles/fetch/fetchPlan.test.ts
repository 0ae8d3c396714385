import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { dripping, fetchScene, honest, wantedOf } from './testFetchPlan.ts'

test('no payload is requested before it is open', async () => {
  const set = fetchScene({ author: honest('author') }, { opensAtMs: (_, round) => round * 1000 })
  const pending = set.plan.fetch(wantedOf('author'), set.never)
  await turn()
  set.clock.advance(4_900)
  await turn()
  expect(set.asked).toEqual([])
  expect((await set.finish(pending)).ok).toBe(true)
  expect(set.clock.nowMs()).toBeGreaterThanOrEqual(5_000)
})

test('work that throws is a fault of that peer alone, and work on payloads is done one by one', async () => {
  const set = fetchScene({ a: honest('a'), b: honest('b'), c: honest('c') })
  let running = 0
  const results = await set.finish(
    set.plan.visit([wantedOf('a'), wantedOf('b'), wantedOf('c')], set.never, async (_, { peerKey }) => {
      running += 1
      expect(running).toBe(1)
      await turn()
      running -= 1
      if (peerKey === peerKeyOf('b')) throw new RangeError('hostile')
      return { ok: true, value: peerKey }
    }),
  )
  expect(results.map(({ result }) => result)).toEqual([
    { ok: true, value: peerKeyOf('a') },
    { ok: false, fault: 'failed', reason: 'hostile' },
    { ok: true, value: peerKeyOf('c') },
  ])
})

test('when the time is up, what came is worked on, and the rest is unavailable if its author had a sixteenth of a round', async () => {
  for (const [ms, fault] of [
    [1_000, 'no time'],
    [37_500, 'unavailable'],
  ] as const) {
    // biome-ignore format: a table
    const set = fetchScene({ a: honest('a'), slow: dripping(1 << 20, () => set.clock) })
    const due = new AbortController()
    const pending = set.plan.visit([wantedOf('a'), wantedOf('slow')], due.signal, async () => ({ ok: true, value: 1 }))
    for (let at = 0; at < ms; at += 500) {
      await turn()
      set.clock.advance(500)
    }
    due.abort()
    const results = await set.finish(pending)
    expect(results[0]?.result.ok).toBe(true)
    expect(results[1]?.result).toMatchObject({ fault })
  }
})
