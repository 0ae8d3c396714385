import type { PeerId, PeerInfo } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import { dialable } from '../membership/dialable.ts'
import type { Membership } from '../membership/membership.ts'
import { connectedPeers } from './connectedPeers.ts'
import type { DialOutcomes } from './connectivity.ts'
import { startDialing } from './dialing.ts'
import { forgetGone } from './forgetGone.ts'

export type Connecting = {
  /** A peer is new, or has a new address. */
  learnt(peerId: string, addresses: readonly string[]): void
  /** A peer is not in the book any more. */
  dropped(peerId: string): void
  /** Dials the peers that are due. */
  wake(): void
  /** Results of dialling. */
  outcomes(): DialOutcomes
  stop(): Promise<void>
}

type Options = { clock: Clock; logger: Logger }

const FLUSH_EVERY_MS = 60_000
const MAX_DISCOVERED_ADDRESSES = 8

/** Executes the membership's decisions: dials the peers that it selects, reports connections, and closes evicted ones. */
export function startConnecting(host: Host, membership: Membership, { clock, logger }: Options): Connecting {
  const { node } = host
  const stopping = new AbortController()
  const record = createDialRecord({ nowMs: clock.nowMs, peers: () => connectedPeers(node).size })
  async function dial(address: string, signal: AbortSignal): Promise<string> {
    try {
      return (await node.dial(multiaddr(address), { signal })).remotePeer.toString()
    } catch (cause) {
      if (!stopping.signal.aborted) record.failed(address, cause)
      throw cause
    }
  }
  const dialing = startDialing({ schedule: membership.schedule, dial, clock, logger })

  const isKnown = (peerId: string) => membership.addressesOf(peerId).length > 0
  const forgetting = forgetGone(node, { isKnown, clock, logger })
  const { left } = forgetting
  const stopFollowing = followConnections(host, membership, { clock, record, left, wake: dialing.wake })
  async function flush(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(FLUSH_EVERY_MS, stopping.signal)
      membership.flush()
    }
  }
  /** Copies addresses into libp2p's own peer store, which it reads to dial for a stream. */
  async function noteIn(peerId: string, addresses: readonly string[]): Promise<void> {
    await node.peerStore.patch(peerIdFromString(peerId), { multiaddrs: addresses.map(one => multiaddr(one)) })
  }
  function learnt(peerId: string, addresses: readonly string[]): void {
    noteIn(peerId, addresses).catch(cause => logger.debug('a peer cannot be noted', { peer: peerId, cause }))
    dialing.wake()
  }
  /** Making a peer's id takes a quarter of a millisecond of the event loop, so each has its own turn. */
  async function noteKept(): Promise<void> {
    for (const peerId of membership.known()) {
      await host.messageQueue.enter()
      if (!stopping.signal.aborted) learnt(peerId, membership.addressesOf(peerId))
    }
  }

  noteKept().catch(cause => logger.error('could not note the peers of the book', { cause }))
  flush().catch(cause => {
    if (!stopping.signal.aborted) logger.error('stopped keeping the book of peers', { cause })
  })
  return {
    learnt,
    dropped: left,
    wake: dialing.wake,
    outcomes: record.outcomes,
    async stop() {
      stopFollowing()
      forgetting.stop()
      stopping.abort()
      await dialing.stop()
      membership.stop()
    },
  }
}

type Follows = { clock: Clock; record: DialRecord; left: (peerId: string) => void; wake: () => void }

/** Reports connections and discoveries of the host to the membership. @returns a function that ends it. */
function followConnections(host: Host, membership: Membership, { clock, record, left, wake }: Follows): () => void {
  const { node } = host
  const sinceMs = new Map<string, number>()
  const onConnect = ({ detail }: CustomEvent<PeerId>): void => {
    const peerId = detail.toString()
    sinceMs.set(peerId, clock.nowMs())
    record.opened(peerId)
    const evicted = membership.connected(peerId)
    if (evicted !== null) host.hangUp(evicted)
  }
  const onDisconnect = ({ detail }: CustomEvent<PeerId>): void => {
    const peerId = detail.toString()
    membership.schedule.lost(peerId, clock.nowMs() - (sinceMs.get(peerId) ?? 0))
    sinceMs.delete(peerId)
    record.closed(peerId)
    left(peerId)
    wake()
  }
  /** From local discovery, which is unsigned: only worth a dial. */
  const onDiscovery = ({ detail }: CustomEvent<PeerInfo>): void => {
    const peerId = detail.id.toString()
    const suffix = `/p2p/${peerId}`
    const addresses = detail.multiaddrs.map(String).map(one => (one.endsWith(suffix) ? one : `${one}${suffix}`))
    if (membership.addressesOf(peerId).length > 0) return
    membership.learn(peerId, dialable(addresses, host.addresses(), true).slice(0, MAX_DISCOVERED_ADDRESSES))
  }

  node.addEventListener('peer:connect', onConnect)
  node.addEventListener('peer:disconnect', onDisconnect)
  node.addEventListener('peer:discovery', onDiscovery)
  return () => {
    node.removeEventListener('peer:connect', onConnect)
    node.removeEventListener('peer:disconnect', onDisconnect)
    node.removeEventListener('peer:discovery', onDiscovery)
  }
}

type DialRecord = {
  outcomes(): DialOutcomes
  failed(address: string, cause: unknown): void
  /** A connection is there. */
  opened(peerId: string): void
  /** The last connection with a peer is gone. */
  closed(peerId: string): void
}

type RecordOptions = { nowMs: () => number /** Peers connected now. */; peers: () => number }

/** A connection that is closed sooner was unwanted by the other side: checking the registration of a peer takes this long. */
const LASTING_MS = 10_000
const SHOWN_CHARACTERS = 160
const none: DialOutcomes = { failed: 0, hungUp: 0, lastFailure: null }

/** Records why nobody is connected. A lasting connection resets it. */
export function createDialRecord({ nowMs, peers }: RecordOptions): DialRecord {
  const openedAtMs = new Map<string, number>()
  let outcomes = none
  return {
    outcomes() {
      const lasts = [...openedAtMs.values()].some(atMs => nowMs() - atMs >= LASTING_MS)
      if (lasts && peers() > 0) outcomes = none
      return outcomes
    },
    failed(address, cause) {
      const said = cause instanceof Error ? cause.message || cause.name : String(cause)
      outcomes = {
        ...outcomes,
        failed: outcomes.failed + 1,
        lastFailure: `${address}: ${said}`.slice(0, SHOWN_CHARACTERS).replace(/\.$/, ''),
      }
    },
    opened: peerId => void openedAtMs.set(peerId, nowMs()),
    closed(peerId) {
      const lastedMs = nowMs() - (openedAtMs.get(peerId) ?? 0)
      openedAtMs.delete(peerId)
      if (lastedMs < LASTING_MS) outcomes = { ...outcomes, hungUp: outcomes.hungUp + 1 }
      else outcomes = none
    },
  }
}
