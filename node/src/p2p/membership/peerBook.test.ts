import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createPeerBook, type KeptPeer, type PeerStore } from './peerBook.ts'

const address = (block: number, port = 1): string => `/ip4/203.${block >> 8}.${block & 255}.1/tcp/${port}`
const isRegistered = (peerId: string): boolean => peerId.startsWith('registered')
/** Each peer comes from a source of its own, or from that which its id names. */
const sourceOf = (peerId: string): string => peerId.split(' at ')[1] ?? peerId

function memoryStore(rows: unknown[] = []): PeerStore & { rows: Map<string, unknown> } {
  const held = new Map<string, unknown>(rows.map((row, index) => [`row ${index}`, row]))
  return {
    rows: held,
    load: () => [...held.values()],
    write({ put, gone }) {
      for (const peerId of gone) held.delete(peerId)
      for (const peer of put) held.set(peer.peerId, peer)
    },
  }
}

test('128 of a thousand strangers are kept, and none displaces a registered peer', () => {
  const book = createPeerBook({ bootnodes: [], sourceOf, isRegistered, clock: createManualClock() })
  book.learn('registered', [address(0)])
  const kept = Array.from({ length: 1000 }, (_, i) => book.learn(`stranger ${i}`, [address(i + 1)])).filter(Boolean)
  expect(kept.length).toBe(128)
  expect(book.get('registered')).toBeDefined()
  expect(book.learn('registered late', [address(0)])).toBe(true)
})

test('strangers of one source share eight places, whatever addresses they claim; those of loopback do not', () => {
  const book = createPeerBook({ bootnodes: [], sourceOf, isRegistered, clock: createManualClock() })
  const near = Array.from({ length: 20 }, (_, i) => book.learn(`near ${i} at 203.0.113.0/24`, [address(i)]))
  expect(near.filter(Boolean).length).toBe(8)
  const local = Array.from({ length: 20 }, (_, i) => book.learn(`local ${i} at here`, [`/ip4/127.0.0.1/tcp/${i + 1}`]))
  expect(local.every(Boolean)).toBe(true)
})

test('if it is full of strangers, one that never answered gives way, and one that was connected does not', () => {
  const book = createPeerBook({
    bootnodes: [],
    sourceOf,
    isRegistered,
    limits: { strangers: 2 },
    clock: createManualClock(),
  })
  book.learn('met', [address(1)])
  book.learn('silent', [address(2)])
  book.meet('met')
  expect(book.learn('new', [address(3)])).toBe(false)
  for (const one of book.all()) for (const route of one.routes) route.failures = 3
  expect(book.learn('new', [address(3)])).toBe(true)
  expect(book.all().map(({ peerId }) => peerId)).toEqual(['met', 'new'])
})

test('after a restart registered peers and strangers that were met are known; whatever else is on the disk is not', () => {
  const clock = createManualClock(1e12)
  const store = memoryStore()
  const first = createPeerBook({ bootnodes: [], sourceOf, isRegistered, store, clock })
  first.learn('registered', [address(1), address(1, 2)])
  first.learn('met', [address(2)])
  first.meet('met')
  first.learn('never met', [address(3)])
  first.flush()
  const known: string[] = []
  const rows = [...store.rows.values(), { peerId: 7 }, { peerId: 'x', addresses: [] }, null]
  const onRegistered = (peerId: string): void => void known.push(peerId)
  const second = createPeerBook({
    bootnodes: [],
    sourceOf,
    isRegistered,
    store: memoryStore(rows),
    onRegistered,
    clock,
  })
  expect(second.all().map(({ peerId, routes }) => [peerId, routes.map(route => route.address)])).toEqual([
    ['registered', [address(1), address(1, 2)]],
    ['met', [address(2)]],
  ])
  expect(known).toEqual(['registered'])
})

test('the disk is written where something changed, and the silent are forgotten', () => {
  const clock = createManualClock(1e12)
  const store = memoryStore()
  const writes: KeptPeer[][] = []
  const write: PeerStore['write'] = changes => {
    writes.push([...changes.put])
    store.write(changes)
  }
  const book = createPeerBook({ bootnodes: [], sourceOf, isRegistered, store: { ...store, write }, clock })
  book.learn('registered', [address(1)])
  book.flush()
  clock.advance(60_000)
  book.learn('registered', [address(1)])
  book.flush()
  expect(writes.length).toBe(1)
  clock.advance(15 * 24 * 3_600_000)
  book.flush()
  expect([book.all().length, store.rows.size]).toEqual([0, 0])
})

test('a full book drops the peer that was heard first, and takes none that was heard before all others', () => {
  const clock = createManualClock(1e12)
  const book = createPeerBook({ bootnodes: [], sourceOf, isRegistered, limits: { registered: 2 }, clock })
  book.learn('registered ahead', [address(1)], 2e12)
  book.learn('registered 2', [address(2)], 1e12 - 2)
  expect(book.get('registered ahead')?.heardAtMs).toBe(1e12)
  expect(book.learn('registered 3', [address(3)], 1e12 - 3)).toBe(false)
  expect(book.learn('registered 1', [address(3)], 1e12 - 1)).toBe(true)
  expect(book.all().map(({ peerId }) => peerId)).toEqual(['registered ahead', 'registered 1'])
  book.learn('registered ahead', [address(1)], 1e12 - 5)
  expect(book.get('registered ahead')?.heardAtMs).toBe(1e12)
})

test('an older record changes no address, also after a restart; one that is newer does', () => {
  const clock = createManualClock(1e12)
  const store = memoryStore()
  const [said, stale, moved] = [address(1), address(2), address(3)]
  const open = () => createPeerBook({ bootnodes: [], sourceOf, isRegistered, store, clock })
  const first = open()
  first.learn('registered', [said], 1e12 - 1_000)
  expect(first.learn('registered', [stale], 1e12 - 5_000)).toBe(true)
  first.flush()
  const second = open()
  const now = () => second.get('registered')?.routes.map(route => route.address)
  second.learn('registered', [stale], 1e12 - 5_000)
  expect(now()).toEqual([said])
  second.learn('registered', [moved], 1e12 - 500)
  expect(now()).toEqual([moved])
})

test('the record of a peer whose clock is behind replaces what was heard of it without one', () => {
  const book = createPeerBook({ bootnodes: [], sourceOf, isRegistered, clock: createManualClock(1e12) })
  book.learn('registered', [address(1)])
  book.learn('registered', [address(2)], 1e12 - 300_000)
  expect(book.get('registered')?.routes.map(route => route.address)).toEqual([address(2)])
})

test('another list of bootnodes keeps the outcome of dialling those that stay', () => {
  const named = (block: number) => ({ peerId: `bootnode ${block}`, address: address(block) })
  const book = createPeerBook({ bootnodes: [named(1), named(2)], sourceOf, isRegistered, clock: createManualClock() })
  const [, stays] = book.all()
  for (const route of stays?.routes ?? []) route.failures = 3
  book.setBootnodes([named(2), named(3)])
  expect(book.all().map(({ peerId, routes }) => [peerId, routes[0]?.failures])).toEqual([
    ['bootnode 2', 3],
    ['bootnode 3', 0],
  ])
  expect([1, 2, 3].map(block => book.isBootnode(`bootnode ${block}`))).toEqual([false, true, true])
})

test('a stranger is learned without a walk over all registered peers', () => {
  let asked = 0
  const isRegistered = (peerId: string): boolean => {
    asked += 1
    return peerId.startsWith('registered')
  }
  const book = createPeerBook({ bootnodes: [], sourceOf, isRegistered, clock: createManualClock() })
  for (let i = 0; i < 1_000; i += 1) book.learn(`registered${i}`, [`/ip4/198.18.${i >> 8}.${i & 255}/tcp/1`])
  asked = 0
  for (let i = 0; i < 10; i += 1) book.learn(`stranger${i}`, [`/ip4/100.64.${i}.1/tcp/1`])
  expect(asked).toBeLessThan(200)
})

test('a peer that leaves the book is named, so that libp2p forgets it as well', () => {
  const clock = createManualClock()
  const dropped: string[] = []
  const onDropped = (peerId: string) => void dropped.push(peerId)
  const book = createPeerBook({ bootnodes: [], sourceOf, isRegistered: () => false, onDropped, clock })
  book.learn('stranger', [address(1)])
  book.flush()
  expect(dropped).toEqual([])
  clock.advance(3_600_000)
  book.flush()
  expect(dropped).toEqual(['stranger'])
})
