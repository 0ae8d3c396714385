import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { createManualClock } from '#core/clock.ts'
import { createDialSchedule } from './dialSchedule.ts'
import { ownHostsOf, reachOf } from './origin.ts'
import { createPeerBook } from './peerBook.ts'

const HONEST = 'honest'
const PARALLEL = 8
const TIMEOUT_MS = 5000

type ScheduleOptions = Parameters<typeof createDialSchedule>[0]
type Given = Pick<ScheduleOptions, 'book' | 'clock'> & Partial<ScheduleOptions>

/** Sought are 16 connections, of which there is none, on a machine without addresses. */
function scheduleOf(given: Given) {
  return createDialSchedule({
    ...{ ownId: 'own', isRegistered: () => true, isBanned: () => false, ownHosts: () => new Set<string>() },
    ...{ targetPeers: 16, random: () => 0, connected: () => someConnected(0, 0) },
    ...given,
  })
}

const someConnected = (registered: number, total: number) => ({ has: () => false, addresses: [], registered, total })

type Scene = { registered?: number; strangers?: number; addressesEach?: number; bootnodes?: number; seed?: string }

/** Milliseconds until the honest peer is dialled, where nobody else answers and every dial takes its whole time. */
function msUntilDialled({ registered = 0, strangers = 0, addressesEach = 1, bootnodes = 0, seed = '' }: Scene): number {
  const clock = createManualClock()
  const random = randomStream('test', seed).uniform
  const isRegistered = (peerId: string): boolean => peerId === HONEST || peerId.startsWith('registered')
  const book = createPeerBook({
    sourceOf: peerId => peerId,
    bootnodes: Array.from({ length: bootnodes }, (_, i) => ({
      peerId: `bootnode${i}`,
      address: `/ip4/192.0.2.${i}/tcp/1`,
    })),
    isRegistered,
    clock,
  })
  const addresses = (block: string, index: number): string[] =>
    Array.from({ length: addressesEach }, (_, i) => `/ip4/${block}.${index >> 8}.${index & 255}/tcp/${i + 1}`)
  for (let i = 0; i < registered; i += 1) book.learn(`registered${i}`, addresses('198.18', i))
  for (let i = 0; i < strangers; i += 1) book.learn(`stranger${i}`, addresses('100.64', i * 16))
  book.learn(HONEST, ['/ip4/203.0.113.1/tcp/1'])
  const schedule = scheduleOf({ book, isRegistered, clock, random })
  const ends: { atMs: number; end: () => void }[] = []
  for (;;) {
    for (; ends[0] !== undefined && ends[0].atMs <= clock.nowMs(); ends.shift()) ends[0].end()
    const dial = ends.length < PARALLEL ? schedule.next() : null
    if (dial?.peer.peerId === HONEST) return clock.nowMs()
    if (dial) ends.push({ atMs: clock.nowMs() + TIMEOUT_MS, end: () => schedule.ended(dial, undefined) })
    clock.advance(250)
    if (clock.nowMs() > 24 * 3_600_000) throw new Error('not within a day')
  }
}

test('an honest peer is dialled within seconds, however many strangers are silent', () => {
  fc.assert(
    fc.property(
      fc.record({
        strangers: fc.integer({ min: 0, max: 1000 }),
        addressesEach: fc.integer({ min: 1, max: 8 }),
        bootnodes: fc.integer({ min: 0, max: 32 }),
        seed: fc.string(),
      }),
      // Until it yields no more (4.5 s), and one dial of all that run then has ended (5 s).
      scene => msUntilDialled(scene) <= 12_000,
    ),
    { numRuns: 30 },
  )
})

test('among silent registered peers it is dialled within a bound that grows with their number alone', () => {
  fc.assert(
    fc.property(
      fc.record({
        registered: fc.integer({ min: 0, max: 100 }),
        strangers: fc.integer({ min: 0, max: 1000 }),
        seed: fc.string(),
      }),
      scene => {
        // Half of 1.6 dials a second go to registered peers; each is dialled again after back-offs that double.
        const bound = (seconds: number) => seconds * 0.8 > scene.registered * (2 + Math.log2(1 + seconds)) + 16
        let seconds = 16
        while (!bound(seconds)) seconds *= 1.1
        return msUntilDialled(scene) <= seconds * 1000
      },
    ),
    { numRuns: 15 },
  )
})

/** A peer that knows a bootnode and four others at `network`, and one in its own network whose line is never away. */
function withLine(network: string, seed: string, ownHost = '192.0.2.77') {
  const clock = createManualClock()
  const isRegistered = (peerId: string) => peerId !== 'bootnode'
  const bootnodes = [{ peerId: 'bootnode', address: `/ip4/${network}.9/tcp/1` }]
  const book = createPeerBook({ bootnodes, sourceOf: peerId => peerId, isRegistered, clock })
  for (const at of [1, 2, 3, 4]) book.learn(`peer${at}`, [`/ip4/${network}.${at}/tcp/1`])
  const here = new Map<string, string>()
  const schedule = scheduleOf({
    ...{ book, isRegistered, clock, ownHosts: () => new Set([ownHost]) },
    connected: () => ({
      ...{ has: here.has.bind(here), total: here.size, registered: [...here.keys()].filter(isRegistered).length },
      addresses: [...here.values()],
    }),
    random: randomStream('test', seed).uniform,
  })
  /** Dials for some time, while the line is up or not. */
  function dial(forMs: number, isUp: boolean): void {
    for (let ms = 0; ms < forMs; ms += 250) {
      const one = schedule.next()
      const peerId = isUp || one?.peer.peerId === 'mate' ? one?.peer.peerId : undefined
      if (one && peerId !== undefined) here.set(peerId, one.route.address)
      if (one) schedule.ended(one, peerId)
      clock.advance(250)
    }
  }
  function lose(lastedMs: number, peerIds = [...here.keys()].filter(peerId => peerId !== 'mate')): void {
    for (const peerId of peerIds) {
      here.delete(peerId)
      schedule.lost(peerId, lastedMs)
    }
  }
  return { book, here, dial, lose }
}

describe.each(['a', 'b', 'c', 'd', 'e', 'f'])('a peer whose own network was away (%s)', seed => {
  // A LAN or one machine may have all of a swarm.
  test.each(['203.0.113', '192.168.1', '127.0.0'])('dials everybody of %s once one dial succeeds', network => {
    const { here, dial, lose } = withLine(network, seed)
    dial(600_000, false)
    for (let outages = 0; outages < 2; outages++) {
      dial(60_000, true)
      expect(here.size).toBe(5)
      lose(60_000)
      dial(600_000, false)
    }
  })

  test.each([
    { mate: '/ip4/192.168.1.7', where: 'of its own network', network: '203.0.113' },
    { mate: '/ip4/198.51.100.5', where: 'on its own machine, at its public address', network: '203.0.113', own: true },
    {
      mate: '/ip4/192.168.1.7',
      where: 'on its own machine, in the network of all others',
      network: '192.168.1',
      own: true,
    },
    { mate: '/ip4/127.0.0.1', where: 'on its own machine, at loopback', network: '192.168.1' },
    { mate: '/dns4/boot.example', where: 'on its own machine, dialled by name', network: '203.0.113' },
  ])('does so while a peer $where stays connected or comes back', ({ mate, network, own }) => {
    const { book, here, dial, lose } = withLine(network, seed, own ? mate.slice('/ip4/'.length) : undefined)
    book.learn('mate', [`${mate}/tcp/1`])
    dial(60_000, true)
    lose(60_000)
    dial(600_000, false)
    expect([...here.keys()]).toEqual(['mate'])
    dial(60_000, true)
    expect(here.size).toBe(6)
    lose(60_000)
    dial(300_000, false)
    lose(60_000, ['mate'])
    dial(300_000, false)
    expect([...here.keys()]).toEqual(['mate'])
    dial(60_000, true)
    expect(here.size).toBe(6)
  })

  test('does so though the last connection that it lost was young', () => {
    const { here, dial, lose } = withLine('203.0.113', seed)
    dial(60_000, true)
    const [young = '', ...others] = here.keys()
    lose(60_000, others)
    lose(20_000, [young])
    dial(600_000, false)
    dial(60_000, true)
    expect(here.size).toBe(5)
  })

  test('does so although the network came back for three seconds before', () => {
    const { here, dial, lose } = withLine('203.0.113', seed)
    dial(600_000, false)
    dial(15_000, true)
    lose(3_000)
    dial(600_000, false)
    dial(60_000, true)
    expect(here.size).toBe(5)
  })

  test('and everybody in it hangs up at once, dials nobody without end', () => {
    const { here, dial, lose } = withLine('203.0.113', seed)
    let dials = 0
    for (let ms = 0; ms < 3_600_000; ms += 250) {
      dial(250, true)
      dials += here.size
      lose(250)
    }
    expect(dials).toBeLessThan(700)
  })
})

test('the hosts of this machine are those of its interfaces and announced ones, and no relay', () => {
  const own = ownHostsOf([
    '/dns4/peer.example/tcp/1',
    '/ip4/203.0.113.1/tcp/1/p2p/relay/p2p-circuit',
    '/ip6/2001:DB8::1/tcp/1',
  ])
  const addresses = [
    '/ip4/127.0.0.1/tcp/2',
    '/dns4/peer.example/tcp/2',
    '/ip6/2001:db8:0::1/tcp/2',
    '/ip4/203.0.113.1/tcp/1',
  ]
  expect(addresses.map(address => reachOf(address, own))).toEqual(['own', 'own', 'own', 'beyond'])
  expect(own.has('127.0.0.1')).toBe(true)
})

test('a registered peer is dialled also where strangers fill every connection sought', () => {
  const clock = createManualClock()
  const isRegistered = (peerId: string): boolean => peerId === HONEST
  const book = createPeerBook({ bootnodes: [], sourceOf: peerId => peerId, isRegistered, clock })
  book.learn(HONEST, ['/ip4/203.0.113.1/tcp/1'])
  book.learn('stranger', ['/ip4/203.0.113.2/tcp/1'])
  const schedule = scheduleOf({ ownId: 'a', book, isRegistered, clock, connected: () => someConnected(0, 16) })
  expect(schedule.next()?.peer.peerId).toBe(HONEST)
  expect(schedule.next()).toBeNull()
})

test.each([
  { who: 'a peer with a registered one', registered: 1, total: 1, last: [16_000, 30_000] },
  { who: 'a peer that is alone', registered: 0, total: 0, last: [8_000, 8_000] },
  { who: 'a peer that strangers surround', registered: 0, total: 64, last: [8_000, 8_000] },
])(
  'dials of $who that fail come further and further apart, and a connection lost at once counts as one',
  ({ registered, total, last }) => {
    const clock = createManualClock()
    const book = createPeerBook({
      sourceOf: peerId => peerId,
      bootnodes: [{ peerId: undefined, address: '/ip4/203.0.113.1/tcp/1' }],
      isRegistered: () => true,
      clock,
    })
    const schedule = scheduleOf({
      ...{ ownId: 'a', book, clock, random: () => 0.5 },
      connected: () => someConnected(registered, total),
    })
    const gaps: number[] = []
    for (let dials = 0; dials < 8; dials += 1) {
      const before = clock.nowMs()
      let dial = schedule.next()
      for (; dial === null; dial = schedule.next()) clock.advance(500)
      gaps.push(clock.nowMs() - before)
      if (dials > 1) schedule.ended(dial, undefined)
      else {
        schedule.ended(dial, 'bootnode')
        schedule.lost('bootnode', 100)
      }
    }
    expect(gaps).toEqual([0, 500, 1000, 2000, 4000, 8000, ...last])
  },
)

/** A peer that knows one bootnode, and has `registered` of the 16 registered peers that it seeks. */
function withBootnode(named: { peerId: string | undefined; address: string }) {
  const clock = createManualClock()
  const isRegistered = () => false
  const book = createPeerBook({ bootnodes: [named], sourceOf: peerId => peerId, isRegistered, clock })
  const here = new Set<string>()
  const connected = {
    has: (peerId: string) => here.has(peerId),
    get addresses() {
      return [...here].map(() => named.address)
    },
    registered: 16,
    total: 16,
  }
  const schedule = scheduleOf({ book, isRegistered, clock, random: () => 0.5, connected: () => connected })
  /** The dial that is due, after some time. */
  function due(afterMs: number) {
    clock.advance(afterMs)
    const dial = schedule.next()
    if (dial === null) throw new Error('none is due')
    return dial
  }
  return { clock, book, here, connected, schedule, due }
}
const bootnode = { peerId: 'bootnode', address: '/ip4/192.0.2.1/tcp/1' }

test.each([{ announced: [] }, { announced: [bootnode.address] }, { announced: ['/ip4/192.0.2.2/tcp/1'] }])(
  'a peer with enough others comes back to a bootnode that announced $announced and hung up after minutes, one without at once',
  ({ announced }) => {
    const { book, connected, schedule, clock, due } = withBootnode(bootnode)
    for (const lastedMs of [60_000, 2_000]) {
      const dial = due(0)
      schedule.ended(dial, 'bootnode')
      book.learn('bootnode', announced)
      clock.advance(lastedMs)
      schedule.lost('bootnode', lastedMs)
      clock.advance(60_000)
      expect(schedule.next()).toBeNull()
      connected.registered = 15
      expect(due(0).peer.peerId).toBe('bootnode')
      schedule.ended(dial, 'bootnode')
      connected.registered = 16
      clock.advance(10 * 60_000)
    }
  },
)

test('a bootnode is dialled at one address at a time, and a lasting connection resets its back-off', () => {
  const { book, connected, schedule, due } = withBootnode(bootnode)
  book.learn('bootnode', ['/ip4/192.0.2.2/tcp/1'])
  connected.total = 0
  const dial = due(60_000)
  expect(schedule.next()).toBeNull()
  schedule.ended(dial, undefined)
  schedule.ended(due(60_000), 'bootnode')
  schedule.lost('bootnode', 86_400_000)
  expect(book.all().flatMap(({ routes }) => routes.map(({ failures }) => failures))).toEqual([0, 0])
})

test('a bootnode that is named without its id is the peer that answers now, also with another key', () => {
  const { book, here, schedule, due } = withBootnode({ peerId: undefined, address: bootnode.address })
  for (const peerId of ['first', 'second']) {
    schedule.ended(due(60_000), peerId)
    here.add(peerId)
    expect(book.isBootnode(peerId)).toBe(true)
    expect(() => due(60_000)).toThrow('none is due')
    here.clear()
  }
  expect(book.isBootnode('first')).toBe(false)
})

test('a peer with all its connections walks its bootnodes, and not its book', () => {
  const clock = createManualClock()
  let asked = 0
  const isRegistered = (): boolean => {
    asked += 1
    return true
  }
  const book = createPeerBook({ bootnodes: [], sourceOf: peerId => peerId, isRegistered, clock })
  for (let i = 0; i < 1_000; i += 1) book.learn(`peer${i}`, [`/ip4/198.18.${i >> 8}.${i & 255}/tcp/1`])
  const schedule = scheduleOf({ book, isRegistered, clock, connected: () => someConnected(16, 16) })
  asked = 0
  expect([schedule.next(), schedule.waitMs()]).toEqual([null, 5_000])
  expect(asked).toBe(0)
})
