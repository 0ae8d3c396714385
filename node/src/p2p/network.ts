import type { PeerInfo } from '@libp2p/interface'
import { type Contact, createAddressBook } from './addressBook.ts'
import type { Announcement } from './announcement.ts'
import type { SwarmView } from './announcementCache.ts'
import { type AnnouncementHandler, createAnnouncements, type OwnAnnouncement } from './announcements.ts'
import { createFetchBundle, type FetchBundle, type FetchLimits } from './fetchBundle.ts'
import { createHost, type Host, type HostOptions } from './host.ts'
import { startRedial } from './redial.ts'
import { type BundleSource, type ServeLimits, serveBundles } from './serveBundles.ts'
import { startSync } from './sync.ts'
import { roundsKept } from './topicRules.ts'
import { type AnnouncementKind, topicsOf } from './topics.ts'

export type NetworkOptions = Omit<HostOptions, 'topics'> &
  SwarmView & {
    /** Multiaddrs; none for the bootnode itself. */
    bootnodes: readonly string[]
    /** Connections sought among the peers known; more may come in. */
    targetPeers?: number
    /** Bodies that this peer gives to others. */
    bundles: BundleSource
    serveLimits?: Partial<ServeLimits>
    fetchLimits?: Partial<FetchLimits>
    /** Mean milliseconds between two catch-ups with some peer. */
    syncEveryMs?: number
  }

export type Network = {
  readonly peerId: string
  /** What a bootnode's operator hands out: multiaddrs ending in `/p2p/<peer id>`. */
  addresses(): string[]
  connectedPeers(): string[]
  /** Resolves when at least `count` peers are connected. @throws the signal's reason. */
  waitForPeers(count: number, signal?: AbortSignal): Promise<void>
  publish(announcement: OwnAnnouncement): Promise<void>
  onAnnouncement(kind: AnnouncementKind, handler: AnnouncementHandler): () => void
  /** The latest of each kind and peer, our own included: also what came while nobody listened. */
  announcements(round: number, kind?: AnnouncementKind): Announcement[]
  /** Asks one peer for what is missing here: at once, not when its turn comes. @returns how many messages were new. */
  catchUp(peerId: string): Promise<number>
  fetchBundle: FetchBundle
  stop(): Promise<void>
  /** For tests and diagnosis. */
  readonly host: Host
}

const MAX_DISCOVERED = 100

/**
 * Joins the swarm: a host that finds its peers, keeps their announcements, and exchanges bodies with them.
 *
 * @throws {PortTakenError | ListenError | AddressError} as the host and the bootnodes do.
 */
export async function startNetwork(options: NetworkOptions): Promise<Network> {
  const { swarm, clock, logger, currentRound } = options
  const host = await createHost({ ...options, topics: topicsOf(swarm) })
  const stops: (() => void | Promise<void>)[] = [() => host.stop()]
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one()
  }
  try {
    const announcements = createAnnouncements(host, options)
    stops.push(announcements.stop)
    // Addresses may arrive before the redial loop stands.
    let wake = (): void => {}
    const book = createAddressBook(host, { swarm, clock, logger, onContact: () => wake() })
    stops.push(book.stop)
    const stopServing = await serveBundles(host, {
      source: options.bundles,
      ...(options.serveLimits && { limits: options.serveLimits }),
      clock,
      logger,
    })
    stops.push(stopServing)
    const sync = await startSync(host, {
      store: {
        signed: (from, to) => [...book.signed(), ...announcements.signed(from, to)],
        check: message => (book.owns(message) ? book : announcements).check(message),
        take: message => (book.owns(message) ? book : announcements).take(message),
        rounds: () => roundsAround(currentRound()),
      },
      ...(options.syncEveryMs && { everyMs: options.syncEveryMs }),
      clock,
      logger,
    })
    stops.push(sync.stop)
    const discovered = collectDiscovered(host, () => wake())
    const redial = startRedial(host, { ...options, contacts: () => [...book.contacts(), ...discovered.values()] })
    wake = redial.wake
    stops.push(redial.stop)
    return {
      peerId: host.peerId,
      addresses: host.addresses,
      connectedPeers: host.connectedPeers,
      waitForPeers: (count, signal) => waitForPeers(host, count, signal),
      publish: announcements.publish,
      onAnnouncement: announcements.onAnnouncement,
      announcements: announcements.of,
      catchUp: sync.pull,
      fetchBundle: createFetchBundle(host, {
        ...(options.fetchLimits && { limits: options.fetchLimits }),
        clock,
        logger,
      }),
      stop,
      host,
    }
  } catch (cause) {
    await stop()
    throw cause
  }
}

function roundsAround(round: number | null): { from: number; to: number } {
  if (round === null) return { from: 0, to: 2 ** 40 }
  return { from: Math.max(0, round + roundsKept.earliest), to: round + roundsKept.latest }
}

/** Peers found on the local network, by whoever shouted: unsigned, so only worth a dial. */
function collectDiscovered(host: Host, onFound: () => void): Map<string, Contact> {
  const found = new Map<string, Contact>()
  host.node.addEventListener('peer:discovery', (event: CustomEvent<PeerInfo>) => {
    const peerId = event.detail.id.toString()
    const addresses = event.detail.multiaddrs.map(String).slice(0, 8)
    if (found.size >= MAX_DISCOVERED || found.has(peerId) || addresses.length === 0) return
    found.set(peerId, { peerId, addresses })
    onFound()
  })
  return found
}

function waitForPeers(host: Host, count: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown): void => {
      host.node.removeEventListener('peer:connect', look)
      signal?.removeEventListener('abort', abort)
      if (error === undefined) resolve()
      else reject(error)
    }
    const look = (): void => {
      if (host.connectedPeers().length >= count) settle()
    }
    const abort = (): void => settle(signal?.reason)
    if (signal?.aborted) return reject(signal.reason)
    host.node.addEventListener('peer:connect', look)
    signal?.addEventListener('abort', abort)
    look()
  })
}
