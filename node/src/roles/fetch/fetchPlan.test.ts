import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Announcement } from '#p2p/gossip/announcement.ts'
import type { FetchPayload, PayloadRequest } from '#p2p/transfer/payloadTransfer.ts'
import { fetchLimits } from './fetchLimits.ts'
import { createFetchPlan } from './fetchPlan.ts'
import type { FetchRules } from './payloadFetcher.ts'

const { pace } = fetchLimits
const payloadOf = (peerId: string, bytes = 1000) => new Uint8Array(bytes).fill(peerId.charCodeAt(0))
const wantedOf = (peerId: string, bytes?: number) => ({
  kind: 'rollouts' as const,
  round: 5,
  peerKey: peerKeyOf(peerId),
  contentId: contentId(payloadOf(peerId, bytes)),
})
const told = (peerId: string, of = peerId, size = 1000) =>
  ({ peerId, contentId: wantedOf(of).contentId, size }) as Announcement

type Served = Awaited<ReturnType<FetchPayload>>
type Server = (request: PayloadRequest) => Promise<Served>

/** A plan over servers by peer id, a store in memory and a clock that is moved until a promise settles. */
function scene(
  servers: Record<string, Server>,
  rules: Partial<FetchRules> = {},
  announced?: Announcement[],
  connected = Object.keys(servers),
  refused: 'no disk space' | null = null,
) {
  const clock = createManualClock()
  const stop = new AbortController()
  const kept = new Map<Hex, Uint8Array>()
  const asked: string[] = []
  const network = {
    peerId: 'self',
    announcements: () => announced ?? Object.keys(servers).map(peerId => told(peerId)),
    connectedPeers: () => connected,
    fetchPayload: async (request: PayloadRequest) => {
      asked.push(request.peer)
      const got = await (servers[request.peer] as Server)(request)
      return typeof got === 'string' || contentId(got) === request.contentId ? got : 'mismatch'
    },
  }
  const bundles = {
    has: (id: Hex) => kept.has(id),
    renew: async () => {},
    get: async (id: Hex) => kept.get(id) ?? null,
    keep: async (bytes: Uint8Array) => {
      if (refused === null) kept.set(contentId(bytes), bytes)
      return refused
    },
  }
  const readPeerId = async (key: Hex) => Object.keys(servers).find(peerId => peerKeyOf(peerId) === key) ?? null
  const modules = { network, bundles, readPeerId, clock, logger: silentLogger, signal: stop.signal, random: () => 0.5 }
  const plan = createFetchPlan(modules, {
    maxBytes: () => 1 << 20,
    opensAtMs: () => 0,
    roundMs: () => 600_000,
    ...rules,
  })
  const finish = async <T>(work: Promise<T>): Promise<T> => {
    let done = false
    void work.finally(() => {
      done = true
    })
    for (let ms = 0; !done; ms += 100) {
      if (ms > 300_000) throw new Error('not within five minutes')
      await turn()
      if (!done) clock.advance(100)
    }
    return work
  }
  return { plan, clock, stop, kept, asked, finish, never: new AbortController().signal }
}

const honest =
  (of: string): Server =>
  async ({ onBytes }) => {
    onBytes?.(1000)
    return payloadOf(of)
  }
const answering =
  (failure: Served): Server =>
  async () =>
    failure

/** Sends so many bytes a second, until the caller gives up. */
const dripping =
  (bytesPerSecond: number, clock: () => ReturnType<typeof createManualClock>): Server =>
  async ({ onBytes, signal }) => {
    for (;;) {
      await clock()
        .sleep(1000, signal)
        .catch(() => undefined)
      if (signal.aborted) return 'timeout'
      onBytes?.(bytesPerSecond)
    }
  }

test('an author without announcements is found by its key', async () => {
  const set = scene({ ann: honest('ann'), ben: honest('ben') }, {}, [], [])
  expect(await set.finish(set.plan.fetch(wantedOf('ann'), set.never))).toMatchObject({ ok: true })
  expect(set.asked).toEqual(['ann'])
})

test('an author that is away is asked again where it is worth waiting for, twice in a quarter of the round', async () => {
  let isBack = false
  const away: Server = async request => (isBack ? honest('ann')(request) : 'unreachable')
  const roundMs = () => 80_000
  const impatient = scene({ ann: away }, { roundMs })
  expect(await impatient.finish(impatient.plan.fetch(wantedOf('ann'), impatient.never))).toMatchObject({ ok: false })
  expect(impatient.asked).toEqual(['ann'])
  const wanted = { ...wantedOf('ann'), mayReturn: true }
  const gone = scene({ ann: away, ben: answering('not-found') }, { roundMs }, [told('ann')])
  expect(await gone.finish(gone.plan.fetch(wanted, gone.never))).toMatchObject({ fault: 'unavailable' })
  expect(gone.asked.filter(peer => peer === 'ann')).toHaveLength(3)
  expect(gone.clock.nowMs()).toBeLessThan(25_000)
  const late = scene({ ann: away }, { roundMs })
  const fetching = late.plan.fetch(wanted, late.never)
  await turn()
  isBack = true
  expect(await late.finish(fetching)).toMatchObject({ ok: true })
  // One that says that it has nothing is there.
  const denying = scene({ ann: answering('too-large') }, { roundMs })
  await denying.finish(denying.plan.fetch(wanted, denying.never))
  expect(denying.asked).toEqual(['ann'])
})

test('a keeper is asked however many others are connected, and where none has it nobody does', async () => {
  const idle = Array.from({ length: 20 }, (_, at) => `idle ${at}`)
  const servers = {
    ...Object.fromEntries(idle.map(name => [name, answering('not-found')])),
    ...{ ann: answering('unreachable'), liar: answering('mismatch'), seat: honest('ann') },
  }
  const keepers = ['liar', 'seat', 'ann', 'self'].map(name => peerKeyOf(name))
  const set = scene(servers, {}, [], idle)
  expect(await set.finish(set.plan.fetch({ ...wantedOf('ann'), keepers }, set.never))).toEqual({
    ok: true,
    value: payloadOf('ann'),
  })
  expect(set.asked.filter(peer => peer.startsWith('idle'))).toEqual([])
  const without = scene({ ...servers, seat: answering('not-found') }, {}, [], idle)
  const got = await without.finish(without.plan.fetch({ ...wantedOf('ann'), keepers }, without.never))
  expect(got).toMatchObject({ fault: 'unavailable', reason: expect.stringContaining('author: unreachable') })
  expect(without.asked.filter(peer => !peer.startsWith('idle'))).toEqual(['ann', 'liar', 'seat'])
  expect(without.asked.filter(peer => peer.startsWith('idle'))).toHaveLength(fetchLimits.others)
})

test('an author and keepers at the minimum pace hold up no other keeper', async () => {
  const slow = ['ann', 'slow 1', 'slow 2', 'slow 3']
  const servers: Record<string, Server> = { seat: honest('ann') }
  for (const name of slow) servers[name] = dripping(2 * pace.minBytesPerSecond, () => set.clock)
  // Its places are fewer than those that are slow.
  const limits = { ...fetchLimits, parallel: 3 }
  const set = scene(servers, { maxBytes: () => 32 << 20, roundMs: () => 120_000, limits }, [], [])
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
  const set = scene(servers, {}, announced)
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
  const set = scene(servers, { maxBytes: () => 32 << 20, roundMs: () => 120_000 }, [])
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
  const set = scene({ steady })
  const had = await set.finish(set.plan.fetch(wantedOf('steady', bytes), set.never))
  expect(had.ok).toBe(true)
  const silent = scene({ fickle })
  const got = await silent.finish(silent.plan.fetch(wantedOf('fickle', bytes), silent.never))
  expect(got).toMatchObject({ ok: false, fault: 'too slow' })
  expect(silent.clock.nowMs()).toBeLessThanOrEqual(pace.graceMs + 100)
})

test('a holder is asked for what it announced at most, and never for more than the cap', async () => {
  const sizes: [string, number][] = []
  const noted: Server = async ({ peer, maxBytes }) => {
    sizes.push([peer, maxBytes])
    return 'too-large'
  }
  const announced = [told('liar', 'author', 1), told('author', 'author', 17 << 20)]
  const set = scene({ liar: noted, author: noted, other: noted }, {}, announced)
  const got = await set.finish(set.plan.fetch(wantedOf('author'), set.never))
  expect(got).toMatchObject({ ok: false, fault: 'oversized' })
  expect(sizes).toEqual([
    ['author', 1 << 20],
    ['liar', 1],
    ['other', 1 << 20],
  ])
  expect(set.kept.size).toBe(0)
})

test('an author whose places are all taken for 20 s is asked until one is free', async () => {
  const full: Server = async () => (set.clock.nowMs() < 20_000 ? 'busy' : payloadOf('author'))
  const set = scene({ author: full })
  expect(await set.finish(set.plan.fetch(wantedOf('author'), set.never))).toMatchObject({ ok: true })
  expect(set.asked.length).toBeLessThan(8)
})

test('who announced a payload gives it where its author does not, and busy holders are asked again', async () => {
  let times = 0
  const busyOnce: Server = async () => (times++ === 0 ? 'busy' : payloadOf('author'))
  const servers = { stranger: answering('not-found'), author: answering('unreachable'), friend: busyOnce }
  const set = scene(servers, {}, [told('friend', 'author'), told('author')])
  const got = await set.finish(set.plan.fetch(wantedOf('author'), set.never))
  expect(got).toEqual({ ok: true, value: payloadOf('author') })
  expect(set.asked).toEqual(['author', 'friend', 'stranger', 'friend'])
})

test('a payload that no peer serves is unavailable, for the reason that its author had', async () => {
  const set = scene({ author: answering('mismatch'), other: answering('not-found') }, {}, [told('author')])
  const got = await set.finish(set.plan.fetch(wantedOf('author'), set.never))
  expect(got).toEqual({ ok: false, fault: 'unavailable', reason: 'author: mismatch, another: not-found' })
  const alone = scene({})
  expect(await alone.finish(alone.plan.fetch(wantedOf('x'), alone.never))).toMatchObject({ fault: 'unavailable' })
})

test('nothing is asked for before the payloads are open', async () => {
  const set = scene({ author: honest('author') }, { opensAtMs: (_, round) => round * 1000 })
  const pending = set.plan.fetch(wantedOf('author'), set.never)
  await turn()
  set.clock.advance(4_900)
  await turn()
  expect(set.asked).toEqual([])
  expect((await set.finish(pending)).ok).toBe(true)
  expect(set.clock.nowMs()).toBeGreaterThanOrEqual(5_000)
})

test('a holder of many payloads has two of the places, and all have no more than there are', async () => {
  let running = 0
  let most = 0
  const counted: Server = async ({ signal }) => {
    running += 1
    most = Math.max(most, running)
    await set.clock.sleep(100, signal).catch(() => undefined)
    running -= 1
    return 'not-found'
  }
  const names = Array.from({ length: 30 }, (_, at) => `peer ${at}`)
  const set = scene(Object.fromEntries(names.map(name => [name, counted])))
  const one = wantedOf('peer 0')
  const many = Array.from({ length: 10 }, (_, at) => ({ ...one, contentId: contentId(Uint8Array.of(at)) }))
  const alone = scene({ 'peer 0': counted }, {}, [])
  await set.finish(alone.finish(alone.plan.visit(many, alone.never, async () => ({ ok: true, value: 0 }))))
  expect(most).toBe(fetchLimits.perHolder)
  await set.finish(
    set.plan.visit(
      names.map(name => wantedOf(name)),
      set.never,
      async () => ({ ok: true, value: 0 }),
    ),
  )
  expect(most).toBe(fetchLimits.parallel)
})

test('work that throws is a fault of that peer alone, and work on payloads is done one by one', async () => {
  const set = scene({ a: honest('a'), b: honest('b'), c: honest('c') })
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
    const set = scene({ a: honest('a'), slow: dripping(1 << 20, () => set.clock) })
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

test('payloads that the disk does not take wait in memory up to a limit; the others are fetched again when their turn comes', async () => {
  const names = ['ann', 'ben', 'cat', 'dan', 'eve']
  const servers = Object.fromEntries(names.map(name => [name, honest(name)]))
  const limits = { ...fetchLimits, heldBytes: 2_500 }
  const set = scene(servers, { limits }, undefined, [], 'no disk space')
  const used: number[] = []
  const work = async (bytes: Uint8Array) => {
    await turn()
    return { ok: true as const, value: used.push(bytes[0] as number) }
  }
  const wanted = names.map(name => wantedOf(name))
  const visited = await set.finish(set.plan.visit(wanted, set.never, work))
  expect(visited.map(({ result }) => result.ok)).toEqual(names.map(() => true))
  expect(used.toSorted((a, b) => a - b)).toEqual(names.map(name => name.charCodeAt(0)))
  // Two were held; each of the others came twice.
  expect(set.asked).toHaveLength(8)
  // What was held is given back.
  await set.finish(set.plan.visit(wanted.slice(0, 2), set.never, work))
  expect(set.asked).toHaveLength(10)
})

test('an author that gives a payload once, where it is not held, and drips the second time holds up nobody', async () => {
  let given = 0
  const once: Server = async request => {
    given += 1
    return given === 1 ? payloadOf('slow', 2_000) : dripping(20_000, () => set.clock)(request)
  }
  const limits = { ...fetchLimits, heldBytes: 1_500 }
  const set = scene({ slow: once, ann: honest('ann') }, { limits }, [], [], 'no disk space')
  const wanted = [wantedOf('slow', 2_000), wantedOf('ann')]
  const [slow, ann] = set.plan.visitEach(wanted, set.never, async () => ({ ok: true, value: null }))
  const fromMs = set.clock.nowMs()
  expect(await set.finish(ann as NonNullable<typeof ann>)).toMatchObject({ result: { ok: true } })
  expect(set.clock.nowMs() - fromMs).toBeLessThan(1_000)
  expect(given).toBe(2)
  set.stop.abort()
  void slow
})

test('authors that drip the second time hold no slot that others wait for beyond their turn', async () => {
  const names = (kind: string) => Array.from({ length: limits.policies }, (_, at) => `${kind} ${at}`)
  const limits = { ...fetchLimits, heldBytes: 500 }
  const given = new Set<string>()
  const once: Server = async request => {
    if (given.has(request.peer)) return dripping(2 * pace.minBytesPerSecond, () => set.clock)(request)
    given.add(request.peer)
    return payloadOf(request.peer)
  }
  const servers: Record<string, Server> = {}
  for (const name of names('slow')) servers[name] = once
  for (const name of names('good')) servers[name] = honest(name)
  const rules = { maxBytes: () => 32 << 20, roundMs: () => 120_000, limits }
  const set = scene(servers, rules, [], [], 'no disk space')
  const due = new AbortController()
  void set.clock.sleep(80_000, set.never).then(() => due.abort())
  const wanted = [...names('slow'), ...names('good')].map(name => wantedOf(name))
  const visited = await set.finish(set.plan.visit(wanted, due.signal, async () => ({ ok: true, value: null })))
  const came = visited.filter(({ result }) => result.ok).map(({ wanted: { peerKey } }) => peerKey)
  expect(came).toEqual(names('good').map(name => peerKeyOf(name)))
})
