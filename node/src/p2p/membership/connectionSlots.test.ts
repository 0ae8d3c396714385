import { expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { createManualClock } from '#core/clock.ts'
import { createConnectionSlots } from './connectionSlots.ts'
import { defaultSlotLimits } from './slots.ts'

const SLOTS = 16
const addressOf = (at: number): string => `/ip4/10.0.${at}.1/tcp/1`

/** A bootnode whose registry answers when it is told to. */
function createBootnode(registered: (peerId: string) => boolean) {
  const clock = createManualClock()
  const known = new Set<string>()
  const connected = new Map<string, { address: string; atMs: number }>()
  const waiting: (() => void)[] = []
  const lasted = new Map<string, number>()
  const slots = createConnectionSlots({
    admission: {
      ask: peerId =>
        new Promise(resolve =>
          waiting.push(() => {
            if (registered(peerId)) known.add(peerId)
            resolve(registered(peerId) ? 'registered' : 'unregistered')
          }),
        ),
    },
    isMember: peerId => known.has(peerId),
    isBootnode: () => false,
    readSources: () => connection => connection.address,
    connections: () => [...connected].map(([peerId, { address }]) => ({ peerId, address })),
    limits: { ...defaultSlotLimits, total: SLOTS, membersGiveWay: true },
    clock,
    random: randomStream('test', 'slots').uniform,
  })
  function hangUp(peerId: string | null | undefined): void {
    const one = connected.get(peerId ?? '')
    if (peerId && one) lasted.set(peerId, clock.nowMs() - one.atMs)
    connected.delete(peerId ?? '')
  }
  return {
    ...{ clock, connected, lasted, hangUp },
    answer: () => waiting.splice(0).forEach(tell => void tell()),
    /** @returns whether it was admitted. */
    async dial(peerId: string, at: number): Promise<boolean> {
      const decision = await slots.admit(peerId, addressOf(at))
      if (!decision.admit) return false
      hangUp(decision.evict)
      connected.set(peerId, { address: addressOf(at), atMs: clock.nowMs() })
      hangUp(slots.connected(peerId))
      return true
    },
  }
}

const peers = (count: number) => Array.from({ length: count }, (_, at) => `peer ${at}`)

test('peers that are admitted in the same tick get no more slots than there are', async () => {
  const bootnode = createBootnode(() => true)
  const dials = peers(100).map((peerId, at) => bootnode.dial(peerId, at))
  bootnode.answer()
  expect((await Promise.all(dials)).filter(isIn => isIn)).toHaveLength(SLOTS)
  expect(bootnode.connected.size).toBe(SLOTS)
})

test('a full bootnode gives each registered peer its time, in turn', async () => {
  const bootnode = createBootnode(peerId => !peerId.startsWith('stranger'))
  const all = peers(60)
  const met = new Set<string>()
  for (let ms = 0; ms < 10_000; ms += 500) {
    const dials = [...all, 'stranger'].flatMap((peerId, at) =>
      bootnode.connected.has(peerId) ? [] : [bootnode.dial(peerId, at).then(isIn => isIn && met.add(peerId))],
    )
    bootnode.answer()
    await Promise.all(dials)
    bootnode.clock.advance(500)
  }
  met.delete('stranger')
  expect(met.size).toBe(all.length)
  expect(bootnode.connected.size).toBe(SLOTS)
  const sentAway = [...bootnode.lasted].filter(([peerId]) => peerId !== 'stranger')
  expect(sentAway).toHaveLength(all.length - SLOTS)
  for (const [, ms] of sentAway) expect(ms).toBeGreaterThanOrEqual(2_000)
})

test('a returning peer takes a free slot at once, and an occupied one after a minute', async () => {
  const bootnode = createBootnode(() => true)
  const [first = '', ...others] = peers(SLOTS + 1)
  const dialAll = async (some: string[]) => {
    const dials = some.map((peerId, at) => bootnode.dial(peerId, at))
    bootnode.answer()
    return Promise.all(dials)
  }
  await dialAll([first])
  bootnode.clock.advance(3_000)
  bootnode.hangUp(first)
  expect(await dialAll([first])).toEqual([true])
  bootnode.hangUp(first)
  await dialAll(others)
  bootnode.clock.advance(30_000)
  expect(await dialAll([first])).toEqual([false])
  bootnode.clock.advance(31_000)
  expect(await dialAll([first])).toEqual([true])
})
