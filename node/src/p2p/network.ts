import { type Connecting, startConnecting } from './connections/connecting.ts'
import { type Connectivity, connectivityOf } from './connections/connectivity.ts'
import { type Reachability, reachabilityOf } from './connections/reachability.ts'
import { createRelayPace } from './connections/relays.ts'
import { announceable } from './gossip/addressAnnouncement.ts'
import { addressesIn, startAddressGossip } from './gossip/addressGossip.ts'
import type { Announcement } from './gossip/announcement.ts'
import type { SwarmView } from './gossip/announcementCache.ts'
import { type AnnouncementHandler, createAnnouncements, type OwnAnnouncement } from './gossip/announcements.ts'
import { createClockCheck } from './gossip/clockCheck.ts'
import { createMessageGate } from './gossip/messageGate.ts'
import type { SignedMessage } from './gossip/signedMessage.ts'
import { roundsKept } from './gossip/topicRules.ts'
import { type AnnouncementKind, topicsOf } from './gossip/topics.ts'
import { createHost, type Host, type HostOptions } from './host.ts'
import { peerIdOf } from './keys/peerPrivateKey.ts'
import type { LookUp } from './membership/admission.ts'
import { dialable, isLocal } from './membership/dialable.ts'
import { createMembership, type Membership, type MembershipStatus } from './membership/membership.ts'
import { ownHostsOf } from './membership/origin.ts'
import type { PeerStore } from './membership/peerBook.ts'
import { type BundleSource, createFetchPayload, type FetchPayload, serveBundles } from './transfer/payloadTransfer.ts'
import { startSync } from './transfer/sync.ts'

export type NetworkOptions = Omit<HostOptions, 'topics' | 'admits' | 'isRelay' | 'relaysFor'> &
  SwarmView & {
    /** Multiaddrs; none for the bootnode itself. */
    bootnodes: readonly string[]
    /** Subscribes to all announcements, as gateways and bootnodes do. Otherwise payloads are requested from the authors that the chain names. */
    follows: boolean
    /** Runs as a bootnode. A peer that finds itself among the bootnodes does so too. */
    isBootnode?: boolean
    /** Asks the chain which peers are registered. Without it, every peer counts as registered. */
    lookUp?: LookUp
    /**
     * Called for each message that another process signed with this peer's key.
     *
     * @param addresses - those that the process announces; empty for messages of other kinds.
     */
    onTwin?: (addresses: readonly string[]) => void
    /** Keeps the address book over a restart. */
    store?: PeerStore
    /** Registered peers to connect to; more may connect to this one. */
    targetPeers?: number
    /** Payloads that this peer serves. */
    bundles: BundleSource
    /** Mean milliseconds between two catch-ups with some peer. */
    syncEveryMs?: number
  }

export type Network = {
  readonly peerId: string
  /** Addresses that a bootnode's operator publishes: multiaddrs ending in `/p2p/<peer id>`. */
  addresses(): string[]
  connectedPeers(): string[]
  /** Resolves when at least `count` peers are connected. @throws the signal's reason. */
  waitForPeers(count: number, signal?: AbortSignal): Promise<void>
  publish(announcement: OwnAnnouncement): Promise<void>
  onAnnouncement(kind: AnnouncementKind, handler: AnnouncementHandler): () => void
  /** The latest of each kind and peer, our own included, and those that arrived before a handler was added. */
  announcements(round: number, kind?: AnnouncementKind): Announcement[]
  /** Catches up with one peer at once. @returns how many messages were new. */
  catchUp(peerId: string): Promise<number>
  /** Announces our own addresses again, twice: once we are registered, others keep and forward them. */
  sayAddresses(): void
  /** Numbers of connected, known and refused peers. */
  status(): MembershipStatus
  /** The release that a peer reports; null if it reported none, or was never connected. */
  releaseOf(peerId: string): string | null
  /** Number of connected peers; without any, the reason and a remedy. */
  connectivity(): Connectivity
  /** How peers of other networks reach this one, as far as is known now. */
  reachability(): Reachability
  fetchPayload: FetchPayload
  /** Takes another list of bootnodes and dials those that are new. @throws {AddressError} if one is not a multiaddr. */
  setBootnodes(addresses: readonly string[]): void
  stop(): Promise<void>
  /** For tests and diagnosis. */
  readonly host: Host
}

/**
 * Joins the swarm: a host that finds its peers, keeps their announcements, and exchanges payloads with them.
 *
 * @throws {PortTakenError | ListenError | AddressError} as the host and the bootnodes do.
 */
export async function startNetwork(options: NetworkOptions): Promise<Network> {
  const { swarm, clock, logger } = options
  let started: Host | undefined
  const ownId = peerIdOf(options.privateKey)
  // A bootnode finds itself on the chain's list.
  const ofOthers = (addresses: readonly string[]) => addresses.filter(address => !address.endsWith(`/p2p/${ownId}`))
  let bootnodes = ofOthers(options.bootnodes)
  // Addresses may arrive before anything is dialled.
  let learnt: Connecting['learnt'] = () => {}
  let dropped: Connecting['dropped'] = () => {}
  const membership = createMembership({
    ...options,
    bootnodes,
    isBootnode: options.isBootnode === true || bootnodes.length < options.bootnodes.length,
    ownId,
    targetPeers: options.targetPeers ?? 16,
    maxConnections: options.maxConnections ?? 128,
    connections: () => started?.connections() ?? [],
    ...{ isLocal: () => isLocal(started?.addresses() ?? []), ownHosts: () => ownHostsOf(started?.addresses() ?? []) },
    isBanned: peerId => started?.guard.isBanned(peerId) ?? false,
    onLearnt: (peerId, addresses) => learnt(peerId, addresses),
    onDropped: peerId => dropped(peerId),
    random: Math.random,
  })
  const rules = createRules(membership, () => started, clock)
  const host = await createHost({ ...options, topics: topicsOf(swarm), ...rules })
  started = host
  const stops: (() => void | Promise<void>)[] = [() => host.stop()]
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one()
  }
  try {
    const { announcements, addresses, sync } = await startExchange(host, membership, options, stops)
    const connecting = startConnecting(host, membership, { clock, logger })
    learnt = connecting.learnt
    dropped = connecting.dropped
    stops.push(connecting.stop)
    return {
      peerId: host.peerId,
      addresses: host.addresses,
      connectedPeers: host.connectedPeers,
      waitForPeers: (count, signal) => waitForPeers(host, count, signal),
      publish: announcements.publish,
      onAnnouncement: announcements.onAnnouncement,
      announcements: announcements.of,
      catchUp: sync.pull,
      sayAddresses: addresses.sayAgain,
      status: membership.status,
      releaseOf: peerId => (peerId === host.peerId ? (options.release ?? null) : host.releaseOf(peerId)),
      connectivity: () =>
        readConnectivity(host, membership, connecting, {
          bootnodes: bootnodes.length,
          isBootnode: options.isBootnode === true,
        }),
      reachability: () => reachabilityOf(announceable(host.addresses())),
      fetchPayload: createFetchPayload(host, { logger }),
      setBootnodes(addresses) {
        membership.setBootnodes(ofOthers(addresses))
        bootnodes = ofOthers(addresses)
        connecting.wake()
      },
      stop,
      host,
    }
  } catch (cause) {
    await stop()
    throw cause
  }
}

function readConnectivity(
  host: Host,
  membership: Membership,
  { outcomes }: Pick<Connecting, 'outcomes'>,
  own: { bootnodes: number; isBootnode: boolean },
): Connectivity {
  const { members, strangers } = membership.status().known
  return connectivityOf({
    peers: host.connectedPeers().length,
    ...own,
    known: members + strangers,
    dials: outcomes(),
  })
}

/** Rules of the host: the peers that it accepts, as members and as users of its relay, and the addresses that it may dial. */
function createRules(membership: Membership, host: () => Host | undefined, clock: NetworkOptions['clock']) {
  const { admission, isBootnode: isRelay } = membership
  return {
    async admits(peerId: string, address: string): Promise<boolean> {
      const decision = await membership.admit(peerId, address)
      if (decision.admit && decision.evict !== undefined) host()?.hangUp(decision.evict)
      return decision.admit
    },
    // Identities cost nothing and places at a relay are few: an unregistered peer has none.
    reserves: async (peerId: string) =>
      (await admission.ask(peerId, membership.sourceOf(peerId), 'newcomer')) === 'registered',
    // Into a private network, or into this machine, only with an address of the book: others are not checked.
    mayDial: (address: string): boolean =>
      dialable([address], host()?.addresses() ?? [], false).length > 0 || membership.names(address),
    relaysFor: createRelayPace(admission.isRegistered, membership.sourceOf, clock),
    isRelay,
  }
}

/** Starts the exchange of announcements, addresses and payloads over a host. @param stops - receives a function that ends each part, as it starts. */
async function startExchange(
  host: Host,
  membership: Membership,
  options: NetworkOptions,
  stops: (() => void | Promise<void>)[],
) {
  const { swarm, clock, logger, currentRound } = options
  const onTwin = (message: SignedMessage) => options.onTwin?.(addressesIn(message, swarm))
  const { admission, sourceOf } = membership
  // Of a peer that we dialled, nobody may have asked yet.
  const isMember = async (peerId: string) =>
    membership.isBootnode(peerId) || (await admission.ask(peerId, sourceOf(peerId))) === 'registered'
  const onFirstHand = createClockCheck(swarm, { isMember, clock, logger })
  const gate = createMessageGate(host, { admission, sourceOf, clock, onTwin, onFirstHand })
  const announcements = createAnnouncements(host, { ...options, gate })
  stops.push(announcements.stop)
  const { learn, isNear } = membership
  const addresses = startAddressGossip(host, { swarm, gate, learn, isNear, clock, logger })
  stops.push(addresses.stop)
  const stopServing = await serveBundles(host, {
    source: options.bundles,
    isRegistered: membership.admission.isRegistered,
    clock,
    logger,
  })
  stops.push(stopServing)
  const sync = await startSync(host, {
    store: {
      signed: (from, to) => [...addresses.signed(), ...announcements.signed(from, to)],
      rulesOf: message => (addresses.owns(message) ? addresses : announcements).rules,
      rounds: () => (options.follows ? roundsAround(currentRound()) : NO_ROUNDS),
    },
    gate,
    isRegistered: membership.admission.isRegistered,
    ...(options.syncEveryMs && { everyMs: options.syncEveryMs }),
    clock,
    logger,
  })
  stops.push(sync.stop)
  return { announcements, addresses, sync }
}

/** No rounds: only addresses are requested. */
const NO_ROUNDS = { from: 1, to: 0 }

function roundsAround(round: number | null): { from: number; to: number } {
  if (round === null) return { from: 0, to: 2 ** 40 }
  return { from: Math.max(0, round + roundsKept.earliest), to: round + roundsKept.latest }
}

function waitForPeers(host: Host, count: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown): void => {
      host.node.removeEventListener('peer:connect', check)
      signal?.removeEventListener('abort', abort)
      if (error === undefined) resolve()
      else reject(error)
    }
    const check = (): void => {
      if (host.connectedPeers().length >= count) settle()
    }
    const abort = (): void => settle(signal?.reason)
    if (signal?.aborted) return reject(signal.reason)
    host.node.addEventListener('peer:connect', check)
    signal?.addEventListener('abort', abort)
    check()
  })
}
