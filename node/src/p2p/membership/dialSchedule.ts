import type { Clock } from '#core/clock.ts'
import { isNamed, type Reach, reachOf } from './origin.ts'
import type { KnownPeer, PeerBook, Route } from './peerBook.ts'

/** One address of one peer, to be dialled now. */
export type Dial = { readonly peer: KnownPeer; readonly route: Route }

/** Peers that are connected, or about to be. */
export type Connected = {
  has(peerId: string): boolean
  /** Of their other ends. */
  readonly addresses: readonly string[]
  readonly registered: number
  readonly total: number
}

export type DialSchedule = {
  /** The next address to dial; null if none is due or needed. A returned peer is not returned again until `ended`. */
  next(): Dial | null
  /** @param peerId - the peer that answered; undefined if none did. */
  ended(dial: Dial, peerId: string | undefined): void
  /** Notes that a connection was lost. */
  lost(peerId: string, lastedMs: number): void
  /** Milliseconds until somebody may be due, >= 0. */
  waitMs(): number
}

type Options = {
  ownId: string
  book: PeerBook
  isRegistered: (peerId: string) => boolean
  isBanned: (peerId: string) => boolean
  connected: () => Connected
  /** Hosts of this machine. */
  ownHosts: () => ReadonlySet<string>
  /** Connections sought with registered peers; strangers only fill up what is missing. */
  targetPeers: number
  clock: Clock
  random: () => number
}

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = { bootnode: 30_000, registered: 10 * 60_000, stranger: 10 * 60_000 }
/** For a bootnode while no registered peer is connected: it may have been full for a moment. Strangers may surround a peer. */
const ALONE_DELAY_MS = 8_000
const LOOK_EVERY_MS = 5000
/** If two peers learn of each other at once, one of them waits this long for the other to dial. */
const YIELD_MS = 3000
/** A bootnode that disconnected a peer with enough others is dialled again after this long, which heals partitions. */
const REVISIT_MS = 10 * 60_000
/** A connection that was lost sooner counts as a dial that failed, and a network that was lost sooner is still away. */
const LASTING_MS = 30_000

type Class = keyof typeof MAX_DELAY_MS

/**
 * The order of classes. Half of the turns belong to registered peers; strangers take a quarter, however many there are. A turn that a
 * class cannot use goes to the next one.
 */
const DIAL_ORDER: readonly Class[] = ['registered', 'bootnode', 'registered', 'stranger']

/**
 * Chooses the next peer to dial: of the class whose turn it is, any due peer with equal probability, however many addresses it has. Each
 * address has its own doubling, jittered back-off, forever.
 */
export function createDialSchedule(options: Options): DialSchedule {
  const { book, clock, random, ownId } = options
  const dialling = new Set<KnownPeer>()
  const yielded = new WeakMap<KnownPeer, number>()
  const revisitAtMs = new WeakMap<KnownPeer, number>()
  let turn = 0

  const classOf = (peer: KnownPeer): Class => {
    if (peer.isBootnode) return 'bootnode'
    return options.isRegistered(peer.peerId ?? '') ? 'registered' : 'stranger'
  }
  const { succeed, miss, lose } = createBackOff(options, classOf)
  /** When the first of its addresses is due. */
  function dueAtMs(peer: KnownPeer): number {
    if (!yielded.has(peer)) {
      const first = peer.isBootnode || ownId < (peer.peerId ?? '') ? 0 : YIELD_MS * (0.5 + random())
      yielded.set(peer, clock.nowMs() + first)
    }
    return Math.max(yielded.get(peer) ?? 0, Math.min(...peer.routes.map(({ nextAtMs }) => nextAtMs)))
  }
  function missing(): KnownPeer[] {
    const connected = options.connected()
    const isWanted: Record<Class, boolean> = {
      // Handled below, one by one.
      bootnode: true,
      registered: connected.registered < options.targetPeers,
      stranger: connected.total < options.targetPeers,
    }
    const dialled = new Set([...dialling].map(({ peerId }) => peerId))
    // A peer with enough connections need not search thousands of entries.
    const isFull = !isWanted.registered && !isWanted.stranger
    return (isFull ? book.bootnodes() : book.all()).filter(peer => {
      const { peerId } = peer
      if (dialling.has(peer) || !isWanted[classOf(peer)]) return false
      const isRecent = peer.isBootnode && clock.nowMs() < (revisitAtMs.get(peer) ?? 0)
      if (isRecent && connected.registered >= options.targetPeers) return false
      if (peerId === undefined) return true
      return peerId !== ownId && !dialled.has(peerId) && !connected.has(peerId) && !options.isBanned(peerId)
    })
  }
  return {
    next() {
      const now = clock.nowMs()
      const due = missing().filter(peer => dueAtMs(peer) <= now)
      for (let step = 0; step < DIAL_ORDER.length && due.length > 0; step += 1) {
        const whose = DIAL_ORDER[turn++ % DIAL_ORDER.length]
        const ofClass = due.filter(peer => classOf(peer) === whose)
        const dial = choose(ofClass, now, random)
        if (dial === undefined) continue
        dialling.add(dial.peer)
        return dial
      }
      return null
    },
    ended({ peer, route }, peerId) {
      dialling.delete(peer)
      if (peerId === undefined) return miss(peer, route)
      // One that is named without its id may come back with another key.
      if (peer.isBootnode) peer.peerId = peerId
      succeed(peer, route)
    },
    lost(peerId, lastedMs) {
      const untilMs = clock.nowMs() + REVISIT_MS * (0.5 + random())
      for (const peer of book.entriesOf(peerId)) if (peer.isBootnode) revisitAtMs.set(peer, untilMs)
      lose(peerId, lastedMs)
    },
    waitMs() {
      const now = clock.nowMs()
      const next = missing().map(peer => dueAtMs(peer) - now)
      return Math.max(0, Math.min(LOOK_EVERY_MS, ...next))
    },
  }
}

/** Delays of addresses: doubled by each failure, with jitter, up to the most that the peer's class may wait. */
function createBackOff(options: Options, classOf: (peer: KnownPeer) => Class) {
  const { book, clock, random, connected } = options
  const outage = createOutage(options)
  function delayMs(peer: KnownPeer, failures: number): number {
    const isAlone = peer.isBootnode && connected().registered === 0
    const mostMs = isAlone ? ALONE_DELAY_MS : MAX_DELAY_MS[classOf(peer)]
    return Math.min(mostMs, FIRST_DELAY_MS * 2 ** failures) * (0.5 + random())
  }
  function fail(peer: KnownPeer, route: Route): void {
    route.nextAtMs = clock.nowMs() + delayMs(peer, route.failures)
    route.failures += 1
  }
  function reset(peer: KnownPeer, route: Route): void {
    route.failures = 0
    route.nextAtMs = clock.nowMs() + delayMs(peer, route.failures)
  }
  /** Nobody answered. */
  function miss(peer: KnownPeer, route: Route): void {
    outage.missed(route)
    fail(peer, route)
  }
  function succeed(peer: KnownPeer, route: Route): void {
    outage.answered(route)
    route.nextAtMs = clock.nowMs() + delayMs(peer, route.failures)
  }
  function lose(peerId: string, lastedMs: number): void {
    outage.lost()
    for (const peer of book.entriesOf(peerId))
      for (const route of peer.routes) {
        if (lastedMs >= LASTING_MS) reset(peer, route)
        else fail(peer, route)
      }
  }
  return { succeed, miss, lose }
}

/**
 * Times without a connection into a network, since the start or since the last one was lost. Dials that nobody answers then may fail for the
 * peer's own line, and say nothing of those who were dialled. Somebody who answers and hangs up is not one of them. A connection by name is none
 * either: it may stay within this machine.
 */
function createOutage({ book, clock, connected, ownHosts }: Options) {
  const upSinceMs = new Map<Reach, number>()
  /** Failures of an address before those that nobody answered. */
  const missed = new WeakMap<Route, number>()
  return {
    missed(route: Route): void {
      if (!missed.has(route)) missed.set(route, route.failures)
    },
    lost(): void {
      const own = ownHosts()
      const addresses = connected().addresses.filter(address => !isNamed(address))
      const reached = new Set(addresses.map(address => reachOf(address, own)))
      for (const reach of [...upSinceMs.keys()]) if (!reached.has(reach)) upSinceMs.delete(reach)
    },
    /** The network is back: all its addresses are due where nobody answered. */
    answered(route: Route): void {
      route.failures = missed.get(route) ?? route.failures
      missed.delete(route)
      const [now, own] = [clock.nowMs(), ownHosts()]
      const reach = reachOf(route.address, own)
      const sinceMs = upSinceMs.get(reach) ?? now
      if (!isNamed(route.address)) upSinceMs.set(reach, sinceMs)
      if (now - sinceMs >= LASTING_MS) return
      for (const one of book.all().flatMap(({ routes }) => routes))
        if (missed.has(one) && reachOf(one.address, own) === reach) one.nextAtMs = Math.min(one.nextAtMs, now)
    },
  }
}

/** One of some peers, at one of its addresses that are due. */
function choose(among: readonly KnownPeer[], nowMs: number, random: () => number): Dial | undefined {
  const peer = pick(among, random)
  const due = peer?.routes.filter(({ nextAtMs }) => nextAtMs <= nowMs) ?? []
  const route = peer && pick(due, random)
  return peer && route && { peer, route }
}

function pick<T>(from: readonly T[], random: () => number): T | undefined {
  return from[Math.floor(random() * from.length)]
}
