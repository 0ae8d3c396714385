import { expect, test } from 'vitest'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { fetchLimits } from './fetchLimits.ts'
import { answering, dripping, fetchScene, honest, payloadOf, type Server, told, wantedOf } from './testFetchPlan.ts'

const { pace } = fetchLimits

test('an author and keepers at the minimum pace hold up no other keeper', async () => {
  const slow = ['ann', 'slow 1', 'slow 2', 'slow 3']
  const servers: Record<string, Server> = { seat: honest('ann') }
  for (const name of slow) servers[name] = dripping(2 * pace.minBytesPerSecond, () => set.clock)
  // Its places are fewer than those that are slow.
  const limits = { ...fetchLimits, parallel: 3 }
  const set = fetchScene(servers, { maxBytes: () => 32 << 20, roundMs: () => 120_000, limits }, [], [])
  const keepers = ['slow 1', 'slow 2', 'slow 3', 'seat'].map(name => peerKeyOf(name))
  expect(await set.finish(set.plan.fetch({ ...wantedOf('ann'), keepers }, set.never))).toMatchObject({ ok: true })
  // Votes are due after two thirds of the round.
  expect(set.clock.nowMs()).toBeLessThan(80_000)
})

test('slow peers cost only themselves: every honest payload comes at once, however many servers drip', async () => {
  const slow = Array.from({ length: 40 }, (_, at) => `slow ${at}`)
  const good = Array.from({ length: 60 }, (_, at) => `good ${at}`)
  const servers: Record<string, Server> = {}
  for (const name of slow) servers[name] = dripping(1, () => set.clock)
  for (const name of good) servers[name] = honest(name)
  const announced = [...slow, ...good].map(name => told(name))
  const set = fetchScene(servers, {}, announced)
  const wanted = [...slow, ...good].map(name => wantedOf(name))
  const cameMs: number[] = []
  const results = await set.finish(
    set.plan.visit(wanted, set.never, async () => {
      cameMs.push(set.clock.nowMs())
      return { ok: true, value: true }
    }),
  )
  const faults = results.map(({ result }) => (result.ok ? 'had' : result.fault))
  expect(faults).toEqual([...slow.map(() => 'too slow'), ...good.map(() => 'had')])
  // Forty of them hold sixteen places for a grace each.
  expect(Math.max(...cameMs)).toBeLessThanOrEqual(3 * pace.graceMs)
  // In the next round they are asked last.
  set.kept.clear()
  set.asked.length = 0
  await set.finish(set.plan.visit(wanted, set.never, async () => ({ ok: true, value: true })))
  expect(set.asked.slice(0, good.length).sort()).toEqual([...good].sort())
})

test('policies at the minimum pace hold no place that others wait for beyond their turn', async () => {
  const names = (kind: string) => Array.from({ length: 4 }, (_, at) => `${kind} ${at}`)
  const servers: Record<string, Server> = {}
  for (const name of names('slow')) servers[name] = dripping(2 * pace.minBytesPerSecond, () => set.clock)
  for (const name of names('good')) servers[name] = honest(name)
  const set = fetchScene(servers, { maxBytes: () => 32 << 20, roundMs: () => 120_000 }, [])
  const wanted = [...names('slow'), ...names('good')].map(name => ({ ...wantedOf(name), kind: 'policy' as const }))
  const came: string[] = []
  const due = new AbortController()
  const visiting = set.plan.visit(wanted, due.signal, async (_, { peerKey }) => {
    came.push(peerKey)
    return { ok: true, value: true }
  })
  void set.clock.sleep(80_000, set.never).then(() => due.abort())
  await set.finish(visiting)
  // At two thirds of the round every honest one is there.
  expect(came.sort()).toEqual(
    names('good')
      .map(name => peerKeyOf(name))
      .sort(),
  )
})

test('a payload at the minimum pace comes, and one that starts fast and falls silent does not', async () => {
  const bytes = 10 * pace.minBytesPerSecond
  const steady: Server = async ({ onBytes, signal }) => {
    for (let second = 0; second < 10; second += 1) {
      await set.clock.sleep(1000, signal).catch(() => undefined)
      if (signal.aborted) return 'timeout'
      onBytes?.(pace.minBytesPerSecond)
    }
    return payloadOf('steady', bytes)
  }
  const fickle: Server = async request => {
    request.onBytes?.(bytes - 1)
    return dripping(1, () => silent.clock)(request)
  }
  const set = fetchScene({ steady })
  const had = await set.finish(set.plan.fetch(wantedOf('steady', bytes), set.never))
  expect(had.ok).toBe(true)
  const silent = fetchScene({ fickle })
  const got = await silent.finish(silent.plan.fetch(wantedOf('fickle', bytes), silent.never))
  expect(got).toMatchObject({ ok: false, fault: 'too slow' })
  expect(silent.clock.nowMs()).toBeLessThanOrEqual(pace.graceMs + 100)
})

test('others at the minimum pace delay no author that is asked again', async () => {
  const scene = (readyMs: number) => {
    const author: Server = async request => (set.clock.nowMs() < readyMs ? 'not-found' : honest('author')(request))
    const stranger = dripping(1.1 * pace.minBytesPerSecond, () => set.clock)
    const servers = { author, 'stranger 1': stranger, 'stranger 2': stranger }
    const set = fetchScene(servers, { maxBytes: () => 32 << 20, roundMs: () => 160_000 }, [told('author')])
    return set
  }
  const soon = scene(500)
  expect(await soon.finish(soon.plan.fetch(wantedOf('author'), soon.never))).toMatchObject({ ok: true })
  expect(soon.clock.nowMs()).toBeLessThan(2_000)
  const away = scene(20_000)
  const returning = { ...wantedOf('author'), mayReturn: true }
  expect(await away.finish(away.plan.fetch(returning, away.never))).toMatchObject({ ok: true })
  // An eighth of the round.
  expect(away.clock.nowMs()).toBeLessThan(25_000)
})

test('an honest other has the time that its line takes, next to an author that may return', async () => {
  const other: Server = async ({ onBytes, signal }) => {
    for (let second = 0; second < 28; second += 1) {
      await set.clock.sleep(1000, signal).catch(() => undefined)
      if (signal.aborted) return 'timeout'
      onBytes?.(1_000_000)
    }
    return payloadOf('author')
  }
  const servers: Record<string, Server> = { author: answering('unreachable'), other }
  const set = fetchScene(servers, { maxBytes: () => 64 << 20, roundMs: () => 120_000 }, [told('author')])
  const wanted = { ...wantedOf('author'), kind: 'policy' as const, mayReturn: true }
  expect(await set.finish(set.plan.fetch(wanted, set.never))).toMatchObject({ ok: true })
  expect(set.clock.nowMs()).toBeLessThan(29_000)
  expect(set.asked).toEqual(['author', 'other', 'author'])
})

test('others are asked after keepers that send slowly, though the author may return', async () => {
  const names = ['keeper 1', 'keeper 2', 'keeper 3']
  const servers: Record<string, Server> = { author: answering('unreachable'), other: honest('author') }
  for (const name of names) servers[name] = dripping(2 * pace.minBytesPerSecond, () => set.clock)
  const set = fetchScene(servers, { maxBytes: () => 32 << 20, roundMs: () => 120_000 }, [], ['other'])
  const keepers = names.map(name => peerKeyOf(name))
  const wanted = { ...wantedOf('author'), keepers, mayReturn: true }
  expect(await set.finish(set.plan.fetch(wanted, set.never))).toMatchObject({ ok: true })
  // A sixteenth of the round for each keeper.
  expect(set.clock.nowMs()).toBeLessThan(23_000)
})

test('keepers that were away with the author are asked again, for a quarter of a round', async () => {
  const keeper: Server = async request => (set.clock.nowMs() < 20_000 ? 'unreachable' : honest('author')(request))
  const servers: Record<string, Server> = { author: answering('unreachable'), keeper, other: answering('not-found') }
  const set = fetchScene(servers, { roundMs: () => 160_000 }, [], ['other'])
  const wanted = { ...wantedOf('author'), mayReturn: true }
  const keepers = [peerKeyOf('keeper')]
  expect(await set.finish(set.plan.fetch({ ...wanted, keepers }, set.never))).toMatchObject({ ok: true })
  expect(set.clock.nowMs()).toBeLessThan(21_000)
  set.kept.clear()
  const fromMs = set.clock.nowMs()
  expect(await set.finish(set.plan.fetch(wanted, set.never))).toMatchObject({ fault: 'unavailable' })
  expect(set.clock.nowMs() - fromMs).toBeLessThan(41_000)
})
