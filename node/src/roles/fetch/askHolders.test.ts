import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { contentId } from '#core/contentId.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { fetchLimits } from './fetchLimits.ts'
import { answering, fetchScene, honest, payloadOf, type Server, told, wantedOf } from './testFetchPlan.ts'

test('an author without announcements is found by its key', async () => {
  const set = fetchScene({ ann: honest('ann'), ben: honest('ben') }, {}, [], [])
  expect(await set.finish(set.plan.fetch(wantedOf('ann'), set.never))).toMatchObject({ ok: true })
  expect(set.asked).toEqual(['ann'])
})

test('a look-up that fails when an author may be back ends no download', async () => {
  const other: Server = async ({ onBytes, signal }) => {
    for (let second = 0; second < 15; second += 1) {
      await set.clock.sleep(1000, signal)
      onBytes?.(1_000_000)
    }
    return payloadOf('ann')
  }
  const set = fetchScene({ ann: answering('unreachable'), other }, { roundMs: () => 80_000 }, [], ['other'])
  const { readPeerId } = set.modules
  set.modules.readPeerId = async key => {
    if (set.clock.nowMs() > 5_000) throw new Error('503')
    return readPeerId(key)
  }
  const wanted = { ...wantedOf('ann'), mayReturn: true }
  expect(await set.finish(set.plan.fetch(wanted, set.never))).toMatchObject({ ok: true })
  expect(set.asked).toEqual(['ann', 'other', 'ann'])
})

test('holders that can be looked up are asked where others cannot, and without the payload nobody is blamed', async () => {
  const servers = { ann: honest('ann'), seat: honest('ann'), other: answering('not-found') }
  const keepers = [peerKeyOf('lost'), peerKeyOf('seat')]
  const set = fetchScene(servers, {}, [], ['other'])
  const { readPeerId } = set.modules
  set.modules.readPeerId = async key => {
    if (key !== peerKeyOf('seat')) throw new Error('503')
    return readPeerId(key)
  }
  expect(await set.finish(set.plan.fetch({ ...wantedOf('ann'), keepers }, set.never))).toMatchObject({ ok: true })
  set.kept.clear()
  const got = await set.finish(set.plan.fetch(wantedOf('ann'), set.never))
  expect(got).toMatchObject({ fault: 'no time', reason: expect.stringContaining('503') })
})

test('an author that is away is asked again where it is worth waiting for, twice in a quarter of the round', async () => {
  let isBack = false
  const away: Server = async request => (isBack ? honest('ann')(request) : 'unreachable')
  const roundMs = () => 80_000
  const impatient = fetchScene({ ann: away }, { roundMs })
  expect(await impatient.finish(impatient.plan.fetch(wantedOf('ann'), impatient.never))).toMatchObject({ ok: false })
  expect(impatient.asked).toEqual(['ann'])
  const wanted = { ...wantedOf('ann'), mayReturn: true }
  const gone = fetchScene({ ann: away, ben: answering('not-found') }, { roundMs }, [told('ann')])
  expect(await gone.finish(gone.plan.fetch(wanted, gone.never))).toMatchObject({ fault: 'unavailable' })
  expect(gone.asked.filter(peer => peer === 'ann')).toHaveLength(3)
  expect(gone.clock.nowMs()).toBeLessThan(25_000)
  const late = fetchScene({ ann: away }, { roundMs })
  const fetching = late.plan.fetch(wanted, late.never)
  await turn()
  isBack = true
  expect(await late.finish(fetching)).toMatchObject({ ok: true })
  // One that was started again may answer before it publishes.
  const starting: Server = async request => (sealed.clock.nowMs() < 6_000 ? 'not-found' : honest('ann')(request))
  const sealed = fetchScene({ ann: starting }, { roundMs })
  expect(await sealed.finish(sealed.plan.fetch(wanted, sealed.never))).toMatchObject({ ok: true })
  // One that has it, too large, is there.
  const denying = fetchScene({ ann: answering('too-large') }, { roundMs })
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
  const set = fetchScene(servers, {}, [], idle)
  expect(await set.finish(set.plan.fetch({ ...wantedOf('ann'), keepers }, set.never))).toEqual({
    ok: true,
    value: payloadOf('ann'),
  })
  expect(set.asked.filter(peer => peer.startsWith('idle'))).toEqual([])
  const without = fetchScene({ ...servers, seat: answering('not-found') }, {}, [], idle)
  const got = await without.finish(without.plan.fetch({ ...wantedOf('ann'), keepers }, without.never))
  expect(got).toMatchObject({ fault: 'unavailable', reason: expect.stringContaining('author: unreachable') })
  expect(without.asked.filter(peer => !peer.startsWith('idle'))).toEqual(['ann', 'liar', 'seat'])
  expect(without.asked.filter(peer => peer.startsWith('idle'))).toHaveLength(fetchLimits.others)
})

test('a holder is asked for what it announced at most, and never for more than the cap', async () => {
  const sizes: [string, number][] = []
  const noted: Server = async ({ peer, maxBytes }) => {
    sizes.push([peer, maxBytes])
    return 'too-large'
  }
  const announced = [told('liar', 'author', 1), told('author', 'author', 17 << 20)]
  const set = fetchScene({ liar: noted, author: noted, other: noted }, {}, announced)
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
  const set = fetchScene({ author: full })
  expect(await set.finish(set.plan.fetch(wantedOf('author'), set.never))).toMatchObject({ ok: true })
  expect(set.asked.length).toBeLessThan(8)
})

test('a peer that announced a payload serves it if its author does not, and busy holders are asked again', async () => {
  let times = 0
  const busyOnce: Server = async () => (times++ === 0 ? 'busy' : payloadOf('author'))
  const servers = { stranger: answering('not-found'), author: answering('unreachable'), friend: busyOnce }
  const set = fetchScene(servers, {}, [told('friend', 'author'), told('author')])
  const got = await set.finish(set.plan.fetch(wantedOf('author'), set.never))
  expect(got).toEqual({ ok: true, value: payloadOf('author') })
  expect(set.asked).toEqual(['author', 'friend', 'stranger', 'friend'])
})

test('a payload that no peer serves is unavailable, for the reason that its author had', async () => {
  const set = fetchScene({ author: answering('mismatch'), other: answering('not-found') }, {}, [told('author')])
  const got = await set.finish(set.plan.fetch(wantedOf('author'), set.never))
  expect(got).toEqual({ ok: false, fault: 'unavailable', reason: 'author: mismatch, another: not-found' })
  const alone = fetchScene({})
  expect(await alone.finish(alone.plan.fetch(wantedOf('x'), alone.never))).toMatchObject({ fault: 'unavailable' })
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
  const set = fetchScene(Object.fromEntries(names.map(name => [name, counted])))
  const one = wantedOf('peer 0')
  const many = Array.from({ length: 10 }, (_, at) => ({ ...one, contentId: contentId(Uint8Array.of(at)) }))
  const alone = fetchScene({ 'peer 0': counted }, {}, [])
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
