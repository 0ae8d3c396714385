import { multiaddr } from '@multiformats/multiaddr'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { AddressError } from '../errors.ts'
import { type Admission, admitAll, createAdmission, type LookUp } from './admission.ts'
import { createConnectionSlots } from './connectionSlots.ts'
import { isPrivate } from './dialable.ts'
import { type Connected, createDialSchedule, type DialSchedule } from './dialSchedule.ts'
import { sourceOf } from './origin.ts'
import { createPeerBook, type KnownPeer, type PeerBook, type PeerStore } from './peerBook.ts'
import { defaultSlotLimits, type Refusal, type SlotDecision } from './slots.ts'

type MembershipOptions = {
  ownId: string
  /** Multiaddrs. Those without `/p2p/…` are learnt on the first dial. */
  bootnodes: readonly string[]
  /** Without it, every peer counts as registered. */
  lookUp?: LookUp
  store?: PeerStore
  /** Connections sought with registered peers. */
  targetPeers: number
  maxConnections: number
  /** Whether this is a bootnode: then no peer keeps a slot permanently. */
  isBootnode?: boolean
  /** Peers connected now, with the address of the other end. */
  connections: () => readonly { peerId: string; address: string }[]
  /** Whether this host has no address but loopback. */
  isLocal: () => boolean
  /** Hosts of this machine. */
  ownHosts: () => ReadonlySet<string>
  isBanned: (peerId: string) => boolean
  /** Called when a peer is new, or has other addresses than before. */
  onLearnt: (peerId: string, addresses: readonly string[]) => void
  /** Called when the address book drops a peer. */
  onDropped: (peerId: string) => void
  clock: Clock
  logger: Logger
  random: () => number
}

export type MembershipStatus = {
  connections: { members: number; strangers: number; max: number }
  known: { members: number; strangers: number }
  /** Connections refused since the start, by the limit that was reached. */
  refused: Record<Refusal, number>
}

export type Membership = {
  readonly admission: Admission
  readonly schedule: DialSchedule
  /** Records addresses that a peer announced, as `PeerBook.learn`. @returns false if the address book is full. */
  learn(peerId: string, addresses: readonly string[], signedAtMs?: number): boolean
  /** Takes another list of bootnodes. @throws {AddressError} if one is not a multiaddr; then the old list stays. */
  setBootnodes(addresses: readonly string[]): void
  isBootnode(peerId: string): boolean
  /** Peers with an id and addresses, bootnodes first. */
  known(): string[]
  /** Addresses at which a peer can be dialled, best first. */
  addressesOf(peerId: string): string[]
  /** Whether a peer is in the same private network: it is connected from there, or one of the bootnodes is there. */
  isNear(peerId: string): boolean
  /** The source of a connected peer. */
  sourceOf(peerId: string): string
  /** Whether the book, or the list of bootnodes, has this address of a peer. */
  names(address: string): boolean
  /** Whether a peer that dialled us gets a slot, and which peer it replaces. */
  admit(peerId: string, address: string): Promise<SlotDecision>
  /** Records a connection. @returns the peer to evict if there are too many now. */
  connected(peerId: string): string | null
  status(): MembershipStatus
  /** Writes changes to the disk. */
  flush(): void
  stop(): void
}

const LOG_EVERY_MS = 60_000

/**
 * Decides which peers are known, at which addresses, which get a slot, and which is dialled next: the rules of docs/network.md,
 * "Membership".
 *
 * @throws {AddressError} if a bootnode is not a multiaddr.
 */
export function createMembership(options: MembershipOptions): Membership {
  const { ownId, clock, logger, random, ownHosts, maxConnections: max } = options
  const admission = options.lookUp ? createAdmission({ lookUp: options.lookUp, clock, logger }) : admitAll
  admission.note(ownId)
  const sources = createSources(options)
  const book = openBook(options, { admission, sourceOf: sources.ofPeer })
  const { isRegistered } = admission
  const slots = createConnectionSlots({
    ...{ admission, isBootnode: book.isBootnode, connections: options.connections, readSources: sources.read },
    isMember: peerId => isRegistered(peerId) || book.isBootnode(peerId),
    limits: { total: max, ...defaultSlotLimits, membersGiveWay: options.isBootnode === true },
    ...{ clock, random },
  })
  const { status, refuse } = createCensus(options, { slots, book, admission })
  const schedule = createDialSchedule({
    ...{ ownId, book, isRegistered, isBanned: options.isBanned, connected: () => connectedNow(options, admission) },
    ...{ targetPeers: Math.min(options.targetPeers, max), ownHosts, clock, random },
  })
  const flush = () => writeBook(book, logger)

  return {
    admission,
    schedule,
    learn(peerId, addresses, signedAtMs) {
      const announced = () => book.get(peerId)?.routes.map(({ address }) => address) ?? []
      const before = announced()
      if (!book.learn(peerId, addresses, signedAtMs)) return false
      if (before.join() !== announced().join()) options.onLearnt(peerId, announced())
      return true
    },
    setBootnodes: addresses => book.setBootnodes(addresses.map(parseBootnode)),
    isBootnode: book.isBootnode,
    sourceOf: sources.ofPeer,
    ...createLookUps(book, options),
    async admit(peerId, address) {
      const decision = await slots.admit(peerId, address)
      if (!decision.admit) refuse(decision.reason)
      return decision
    },
    connected(peerId) {
      book.meet(peerId)
      return slots.connected(peerId)
    },
    status,
    flush,
    stop() {
      admission.stop()
      flush()
    },
  }
}

function openBook(
  { bootnodes, store, onDropped, clock }: MembershipOptions,
  { admission, sourceOf }: { admission: Admission; sourceOf: (peerId: string) => string },
): PeerBook {
  return createPeerBook({
    bootnodes: bootnodes.map(parseBootnode),
    isRegistered: admission.isRegistered,
    sourceOf,
    onRegistered: admission.note,
    onDropped,
    ...(store && { store }),
    clock,
  })
}

/** Sources of connections, and of peers by their connection. */
function createSources({ connections, isLocal }: MembershipOptions) {
  /** A host takes a fifth of a millisecond to list its addresses, and each decision on a slot is about all connections. */
  function read() {
    let local: boolean | undefined
    const isLocalNow = (): boolean => {
      local ??= isLocal()
      return local
    }
    return (connection: { peerId: string; address: string }): string => sourceOf(connection, isLocalNow)
  }
  return {
    read,
    ofPeer(peerId: string): string {
      const connection = connections().find(one => one.peerId === peerId)
      return connection === undefined ? 'closed' : read()(connection)
    },
  }
}

type Counted = { slots: ReturnType<typeof createConnectionSlots>; book: PeerBook; admission: Admission }

/** How many peers are connected, known and refused. */
function createCensus({ maxConnections: max, clock, logger }: MembershipOptions, { slots, book, admission }: Counted) {
  const refused: Record<Refusal, number> = { full: 0, strangers: 0, host: 0, subnet: 0 }
  let loggedAtMs = Number.NEGATIVE_INFINITY

  function status(): MembershipStatus {
    const connections = countMembers(slots.held(), one => one.isMember)
    const known = countMembers(
      oncePerPeer(book.all()),
      one => one.isBootnode || admission.isRegistered(one.peerId ?? ''),
    )
    return { connections: { ...connections, max }, known, refused: { ...refused } }
  }
  return {
    status,
    /** Counts a refused connection, and logs it at most once a minute. */
    refuse(reason: Refusal): void {
      refused[reason] += 1
      if (clock.nowMs() - loggedAtMs < LOG_EVERY_MS) return
      loggedAtMs = clock.nowMs()
      logger.warn('a connection was refused: no slot is free for it', { reason, ...status() })
    },
  }
}

function connectedNow({ connections }: MembershipOptions, { isRegistered }: Admission): Connected {
  const now = connections()
  const ids = new Set(now.map(({ peerId }) => peerId))
  return {
    has: peerId => ids.has(peerId),
    addresses: now.map(({ address }) => address),
    registered: [...ids].filter(isRegistered).length,
    total: ids.size,
  }
}

type LookUps = Pick<Membership, 'known' | 'addressesOf' | 'isNear' | 'names'>

/** Look-ups in the address book. */
function createLookUps(book: PeerBook, { connections }: MembershipOptions): LookUps {
  return {
    known: () => oncePerPeer(book.all()).flatMap(({ peerId }) => peerId ?? []),
    addressesOf(peerId) {
      const routes = book.entriesOf(peerId).flatMap(({ routes }) => routes)
      return [...new Set(routes.sort((a, b) => a.failures - b.failures).map(({ address }) => address))]
    },
    isNear(peerId) {
      if (book.bootnodes().some(({ routes }) => routes.some(({ address }) => isPrivate(address)))) return true
      const near = connections().filter(({ address }) => isPrivate(address))
      return near.some(one => one.peerId === peerId || book.isBootnode(one.peerId))
    },
    names(address) {
      const peerId = peerIdIn(address)
      const isOf = (peer: KnownPeer | undefined) =>
        peer?.routes.some(route => [route.address, `${route.address}/p2p/${peer.peerId}`].includes(address)) === true
      return isOf(peerId === undefined ? undefined : book.get(peerId)) || book.bootnodes().some(isOf)
    },
  }
}

function writeBook(book: PeerBook, logger: Logger): void {
  try {
    book.flush()
  } catch (error) {
    // A full disk must not end a peer: unwritten changes are kept, and written with the next ones.
    logger.warn('the book of peers could not be written', { error })
  }
}

/** The first entry of each peer, in their order. */
function oncePerPeer(peers: readonly KnownPeer[]): KnownPeer[] {
  const seen = new Set<string | KnownPeer>()
  return peers.filter(peer => {
    const id = peer.peerId ?? peer
    return !seen.has(id) && seen.add(id)
  })
}

function countMembers<T>(peers: readonly T[], isMember: (peer: T) => boolean): { members: number; strangers: number } {
  const members = peers.filter(isMember).length
  return { members, strangers: peers.length - members }
}

/** The peer id at the end of a multiaddr. @throws if the text is not a multiaddr. */
function peerIdIn(address: string): string | undefined {
  return multiaddr(address)
    .getComponents()
    .findLast(part => part.name === 'p2p')?.value
}

function parseBootnode(address: string): { peerId: string | undefined; address: string } {
  try {
    return { peerId: peerIdIn(address), address }
  } catch (cause) {
    throw new AddressError(`The bootnode '${address}' is not a multiaddr.`, {
      hint: 'Write it as /ip4/203.0.113.7/tcp/38331/p2p/16Uiu2…, as the bootnode prints it.',
      cause,
    })
  }
}
