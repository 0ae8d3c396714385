import { circuitRelayTransport, RELAY_V2_HOP_CODEC } from '@libp2p/circuit-relay-v2'
import { ListenError, type PeerId, type Transport } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Node } from '../libp2pNode.ts'
import { createPeerBuckets } from '../tokenBucket.ts'
import { connectedPeers } from './connectedPeers.ts'

/**
 * Connections that a relay makes, per second and in a burst: for a member, and for all strangers of a source. A gateway, which does not
 * register, asks dozens of peers behind routers for their payloads when a round ends, and then keeps each connection for an hour.
 */
const [MEMBER, STRANGERS] = [
  { perSecond: 4, atOnce: 64 },
  { perSecond: 1, atOnce: 32 },
]

/**
 * Whether a relay makes another connection for a peer. Relayed connections all come from the relay's host, so the target cannot limit a
 * crowd: the relay has to.
 *
 * @param isMember - whether a peer is registered.
 * @param sourceOf - the source of its connection.
 */
export function createRelayPace(
  isMember: (peerId: string) => boolean,
  sourceOf: (peerId: string) => string,
  clock: Clock,
): (peerId: string) => boolean {
  const memberOf = createPeerBuckets(MEMBER.perSecond, MEMBER.atOnce, clock)
  const strangersOf = createPeerBuckets(STRANGERS.perSecond, STRANGERS.atOnce, clock)
  return peerId => (isMember(peerId) ? memberOf(peerId) : strangersOf(sourceOf(peerId))).tryTake(1)
}

/** libp2p's store of this host's relay reservations, which its public interface lacks. */
export type RelayTransport = Transport & {
  readonly reservationStore: {
    hasReservation(relay: PeerId): boolean
    addRelay(relay: PeerId, type: 'discovered' | 'configured'): Promise<unknown>
  }
}
type Components = Parameters<ReturnType<typeof circuitRelayTransport>>[0]

/**
 * libp2p's relay transport, which takes the first reservation that any peer grants.
 *
 * @param isRelay - whether a peer may be asked. A relay decides who reaches this host, and at which addresses others try.
 */
export function relayTransport(components: Components, isRelay: (peerId: string) => boolean): RelayTransport {
  const transport = circuitRelayTransport()(components) as RelayTransport
  const { reservationStore } = transport
  const addRelay = reservationStore.addRelay.bind(reservationStore)
  reservationStore.addRelay = async (relay, type) => {
    // One that `listen` names is the operator's choice.
    if (type === 'discovered' && !isRelay(relay.toString())) throw new ListenError('Not a relay of this swarm')
    return addRelay(relay, type)
  }
  return transport
}

/** Doubles with each refusal: each costs the relay a call to the chain, and some peers never register. */
const WAIT_MS = { first: 5_000, last: 120_000 }

type Options = { clock: Clock; logger: Logger }

/**
 * Requests a reservation from connected relays as long as this host has none. libp2p asks once per connection: a relay that refused a
 * peer before its registration, or could not reach the chain, would never be asked again.
 *
 * @returns a function that ends it.
 */
export function seekRelayPlace(node: Node, { reservationStore }: RelayTransport, { clock, logger }: Options) {
  const stopping = new AbortController()

  async function ask(relay: PeerId): Promise<void> {
    const { protocols } = await node.peerStore.get(relay)
    if (protocols.includes(RELAY_V2_HOP_CODEC)) await reservationStore.addRelay(relay, 'discovered')
  }
  async function run(): Promise<void> {
    for (let waitMs = WAIT_MS.first; !stopping.signal.aborted; ) {
      await clock.sleep(waitMs * (0.5 + Math.random()), stopping.signal)
      const relays = [...connectedPeers(node).values()]
      const hasPlace = relays.some(relay => reservationStore.hasReservation(relay))
      waitMs = hasPlace ? WAIT_MS.first : Math.min(2 * waitMs, WAIT_MS.last)
      for (const relay of hasPlace ? [] : relays) {
        await ask(relay).catch(cause => logger.debug('no place at a relay', { relay: relay.toString(), cause }))
      }
    }
  }
  run().catch(cause => {
    if (!stopping.signal.aborted) logger.error('stopped asking relays for a place', { cause })
  })
  return () => stopping.abort()
}
