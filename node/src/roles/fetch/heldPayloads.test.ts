import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { fetchLimits } from './fetchLimits.ts'
import { dripping, fetchScene, honest, payloadOf, type Server, wantedOf } from './testFetchPlan.ts'

const { pace } = fetchLimits

test('payloads that the disk does not take wait in memory up to a limit; the others are fetched again when their turn comes', async () => {
  const names = ['ann', 'ben', 'cat', 'dan', 'eve']
  const servers = Object.fromEntries(names.map(name => [name, honest(name)]))
  const limits = { ...fetchLimits, heldBytes: 2_500 }
  const set = fetchScene(servers, { limits }, undefined, [], 'no disk space')
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
  // The held payload is released.
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
  const set = fetchScene({ slow: once, ann: honest('ann') }, { limits }, [], [], 'no disk space')
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
  const set = fetchScene(servers, rules, [], [], 'no disk space')
  const due = new AbortController()
  void set.clock.sleep(80_000, set.never).then(() => due.abort())
  const wanted = [...names('slow'), ...names('good')].map(name => wantedOf(name))
  const visited = await set.finish(set.plan.visit(wanted, due.signal, async () => ({ ok: true, value: null })))
  const came = visited.filter(({ result }) => result.ok).map(({ wanted: { peerKey } }) => peerKey)
  expect(came).toEqual(names('good').map(name => peerKeyOf(name)))
})
