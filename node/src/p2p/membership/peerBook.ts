import { z } from 'zod'
import type { Clock } from '#core/clock.ts'
import { originOf } from './origin.ts'

/** An address of a peer, with the results of dialling it. */
export type Route = { readonly address: string; failures: number; nextAtMs: number }

export type KnownPeer = {
  /** Of a bootnode that was named without it, the peer that answered last; undefined until one did. */
  peerId: string | undefined
  routes: Route[]
  /** Source of the connection that brought it when it was new; null if that is not limited. */
  readonly source: string | null
  readonly isBootnode: boolean
  /** Whether there ever was a connection. */
  met: boolean
  heardAtMs: number
  /** When the record of its addresses was signed; -Infinity if they come from no record. */
  signedAtMs: number
}

/** The stored part of the book: everything except bootnodes, which are given at each start, and strangers that were never connected. */
const keptPeerSchema = z.strictObject({
  peerId: z.string().min(1).max(64),
  addresses: z.array(z.string().max(256)).min(1).max(8),
  isRegistered: z.boolean(),
  heardAtMs: z.number(),
})
export type KeptPeer = z.infer<typeof keptPeerSchema>

/** The book's storage. Its content is not trusted. */
export type PeerStore = {
  load(): unknown[]
  write(changes: { put: readonly KeptPeer[]; gone: readonly string[] }): void
}

export type BookLimits = {
  /** Registering costs a transaction; memory for this many registered peers is small. */
  registered: number
  /** A peer id costs nothing. */
  strangers: number
  strangersPerSource: number
  /** A registered peer that is silent for this long is dropped. */
  forgetRegisteredMs: number
  forgetStrangersMs: number
}

const defaultBookLimits: BookLimits = {
  registered: 16_384,
  strangers: 128,
  strangersPerSource: 8,
  forgetRegisteredMs: 14 * 24 * 3_600_000,
  forgetStrangersMs: 15 * 60_000,
}

export type PeerBook = {
  /**
   * Stores addresses that a peer announced. Those of an older record than the known ones change nothing.
   *
   * @param signedAtMs - of a record that others may have forwarded; undefined if the peer is heard of right now.
   * @returns false if the book is full.
   */
  learn(peerId: string, addresses: readonly string[], signedAtMs?: number): boolean
  /** Notes a connection with a peer. */
  meet(peerId: string): void
  /** Its entry of announced addresses, or else as a bootnode. */
  get(peerId: string): KnownPeer | undefined
  /** All its entries: a bootnode has one for each address that it is named at, and one for those that it announces. */
  entriesOf(peerId: string): KnownPeer[]
  /** Bootnodes first. */
  all(): KnownPeer[]
  bootnodes(): readonly KnownPeer[]
  isBootnode(peerId: string): boolean
  /** Replaces the list of bootnodes. Dial results of those that stay are kept. */
  setBootnodes(bootnodes: readonly NamedBootnode[]): void
  /** Drops silent peers, and writes changes to the disk. */
  flush(): void
}

type NamedBootnode = { peerId: string | undefined; address: string }

type Options = {
  bootnodes: readonly NamedBootnode[]
  isRegistered: (peerId: string) => boolean
  /** The source of a peer's connection. Its addresses are its own claim. */
  sourceOf: (peerId: string) => string
  /** Called with stored peers that were registered. */
  onRegistered?: (peerId: string) => void
  /** Called with peers that the book has dropped. */
  onDropped?: (peerId: string) => void
  store?: PeerStore
  limits?: Partial<BookLimits>
  clock: Clock
}

/** An entry is not written again if its time differs from that on the disk by less than this. */
const REWRITE_MS = 3_600_000

/** The address book. A stranger never displaces a registered peer. */
export function createPeerBook(options: Options): PeerBook {
  const { clock } = options
  const held = createHeldPeers(options, { ...defaultBookLimits, ...options.limits })
  const { peers } = held
  let bootnodes: KnownPeer[] = []

  function setBootnodes(named: readonly NamedBootnode[]): void {
    const before = bootnodes
    const heldAt = (address: string) => before.find(({ routes }) => routes[0]?.address === address)
    bootnodes = named.map(({ peerId, address }) => heldAt(address) ?? newBootnode(peerId, address))
  }
  setBootnodes(options.bootnodes)

  return {
    learn(peerId, addresses, signedAtMs) {
      if (addresses.length === 0) return false
      // A clock that is ahead would keep its peer for longer.
      const heardAtMs = Math.min(signedAtMs ?? clock.nowMs(), clock.nowMs())
      const known = peers.get(peerId)
      if (known === undefined) {
        const source = sourceOf(peerId, addresses, options)
        if (!held.makePlace(peerId, source, heardAtMs)) return false
        held.put(newPeer(peerId, addresses, { heardAtMs, source, signedAtMs: signedAtMs ?? UNSIGNED }))
        held.touch(peerId)
        return true
      }
      known.heardAtMs = Math.max(known.heardAtMs, heardAtMs)
      if (signedAtMs !== undefined && signedAtMs < known.signedAtMs) return true
      known.signedAtMs = signedAtMs ?? known.signedAtMs
      const isSame = known.routes.map(({ address }) => address).join() === addresses.join()
      if (!isSame) {
        known.routes = addresses.map(one => known.routes.find(({ address }) => address === one) ?? newRoute(one))
      }
      if (!isSame || held.isStale(known)) held.touch(peerId)
      return true
    },
    meet(peerId) {
      const known = peers.get(peerId)
      if (known === undefined || known.met) return
      known.met = true
      held.touch(peerId)
    },
    get: peerId => peers.get(peerId) ?? bootnodes.find(one => one.peerId === peerId),
    entriesOf(peerId) {
      const announced = peers.get(peerId)
      return [...bootnodes.filter(one => one.peerId === peerId), ...(announced ? [announced] : [])]
    },
    all: () => [...bootnodes, ...peers.values()],
    bootnodes: () => bootnodes,
    isBootnode: peerId => bootnodes.some(one => one.peerId === peerId),
    setBootnodes,
    flush: held.flush,
  }
}

/** The peers of a book without bootnodes: those from the disk, their present state, and those that still have to be written. */
function createHeldPeers({ clock, isRegistered, onRegistered, onDropped, store }: Options, limits: BookLimits) {
  const peers = new Map<string, Known>()
  const strangers = createStrangers(isRegistered)
  const writtenAtMs = new Map<string, number>()
  const changed = new Set<string>()
  const gone = new Set<string>()

  for (const kept of readKept(store, limits)) {
    if (kept.isRegistered) onRegistered?.(kept.peerId)
    // An entry from a clock that was ahead would never be old enough to be dropped.
    const heardAtMs = Math.min(kept.heardAtMs, clock.nowMs())
    const signedAtMs = kept.isRegistered ? heardAtMs : UNSIGNED
    put(newPeer(kept.peerId, kept.addresses, { heardAtMs, signedAtMs, met: !kept.isRegistered }))
    writtenAtMs.set(kept.peerId, heardAtMs)
  }

  function put(peer: Known): void {
    peers.set(peer.peerId, peer)
    strangers.add(peer)
  }
  function drop(peerId: string): void {
    peers.delete(peerId)
    strangers.drop(peerId)
    changed.delete(peerId)
    if (writtenAtMs.delete(peerId)) gone.add(peerId)
    onDropped?.(peerId)
  }
  function dropOne(limit: number, among: Known[], choose: (among: Known[]) => Known | undefined): boolean {
    if (among.length < limit) return true
    const victim = choose(among)
    if (victim !== undefined) drop(victim.peerId)
    return victim !== undefined
  }

  return {
    peers,
    put,
    /** Drops an entry for a new peer. @returns false if none may be dropped. */
    makePlace(peerId: string, source: string | null, heardAtMs: number): boolean {
      const choose = (among: Known[]) => longestSilent(among, heardAtMs)
      if (isRegistered(peerId))
        return peers.size < limits.registered || dropOne(limits.registered, [...peers.values()], choose)
      const near = strangers.all().filter(one => source !== null && one.source === source)
      return (
        dropOne(limits.strangersPerSource, near, leastReachable) &&
        dropOne(limits.strangers, strangers.all(), leastReachable)
      )
    },
    /** Marks a peer to be written by the next flush. */
    touch(peerId: string): void {
      gone.delete(peerId)
      changed.add(peerId)
    },
    /** Whether the entry on the disk is much older than the last news of a peer. */
    isStale: ({ peerId, heardAtMs }: Known) => heardAtMs - (writtenAtMs.get(peerId) ?? 0) > REWRITE_MS,
    flush(): void {
      for (const { peerId, heardAtMs } of peers.values()) {
        const silentMs = clock.nowMs() - heardAtMs
        if (silentMs > (isRegistered(peerId) ? limits.forgetRegisteredMs : limits.forgetStrangersMs)) drop(peerId)
      }
      const kept = [...changed].flatMap(id => peers.get(id) ?? []).filter(one => one.met || isRegistered(one.peerId))
      if (kept.length === 0 && gone.size === 0) return
      store?.write({ put: kept.map(one => keptPeer(one, isRegistered(one.peerId))), gone: [...gone] })
      for (const { peerId, heardAtMs } of kept) {
        writtenAtMs.set(peerId, heardAtMs)
        changed.delete(peerId)
      }
      gone.clear()
    },
  }
}

/** Peers that were not registered when they were learned: a few, of which some may have registered since. */
function createStrangers(isRegistered: Options['isRegistered']) {
  const unregistered = new Map<string, Known>()

  return {
    add(peer: Known): void {
      if (!isRegistered(peer.peerId)) unregistered.set(peer.peerId, peer)
    },
    drop: (peerId: string) => void unregistered.delete(peerId),
    all(): Known[] {
      for (const peerId of unregistered.keys()) if (isRegistered(peerId)) unregistered.delete(peerId)
      return [...unregistered.values()]
    },
  }
}

/** Entries of the disk that are well-formed. */
function readKept(store: PeerStore | undefined, { registered, strangers }: BookLimits): KeptPeer[] {
  const rows = store?.load().slice(0, registered + strangers) ?? []
  return rows.flatMap(row => keptPeerSchema.safeParse(row).data ?? [])
}

type Known = KnownPeer & { peerId: string }

const UNSIGNED = Number.NEGATIVE_INFINITY
const unmet = { isBootnode: false, source: null, met: false, signedAtMs: UNSIGNED }

function newPeer(
  peerId: string,
  addresses: readonly string[],
  known: Pick<Known, 'heardAtMs'> & Partial<Pick<Known, 'source' | 'met' | 'signedAtMs'>>,
): Known {
  return { ...unmet, peerId, routes: addresses.map(newRoute), ...known }
}

const newBootnode = (peerId: string | undefined, address: string): KnownPeer => ({
  ...{ ...unmet, isBootnode: true, heardAtMs: Number.NEGATIVE_INFINITY },
  ...{ peerId, routes: [newRoute(address)] },
})

const newRoute = (address: string): Route => ({ address, failures: 0, nextAtMs: 0 })

const keptPeer = ({ peerId, routes, heardAtMs }: Known, isRegistered: boolean): KeptPeer => ({
  peerId,
  addresses: routes.map(({ address }) => address),
  isRegistered,
  heardAtMs,
})

/** Null on loopback, where a whole swarm may run. */
function sourceOf(peerId: string, [first = '']: readonly string[], options: Pick<Options, 'sourceOf'>): string | null {
  return originOf(first)?.isLoopback ? null : options.sourceOf(peerId)
}

const failuresOf = ({ routes }: Known): number => Math.min(...routes.map(({ failures }) => failures))

/** The entry with the most failed dials among those that were never connected. */
function leastReachable(among: Known[]): Known | undefined {
  const failing = among.filter(one => !one.met && failuresOf(one) > 0)
  return failing.sort((a, b) => failuresOf(b) - failuresOf(a))[0]
}

/** The entry that was heard first, unless that was after `heardAtMs`. */
function longestSilent(among: Known[], heardAtMs: number): Known | undefined {
  const first = among.reduce<Known | undefined>((a, b) => (a && a.heardAtMs <= b.heardAtMs ? a : b), undefined)
  return first && first.heardAtMs <= heardAtMs ? first : undefined
}
