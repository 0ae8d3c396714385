import { circuitRelayTransport, RELAY_V2_HOP_CODEC } from '@libp2p/circuit-relay-v2'
import { ListenError, type PeerId, type Transport } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Node } from '../libp2pNode.ts'
import { connectedPeers } from './connectedPeers.ts'

/** Where libp2p keeps the places that this host has at relays; its published interface leaves it out. */
export type RelayTransport = Transport & {
  readonly reservationStore: {
    hasReservation(relay: PeerId): boolean
    addRelay(relay: PeerId, type: 'discovered' | 'configured'): Promise<unknown>
  }
}
type Components = Parameters<ReturnType<typeof circuitRelayTransport>>[0]

/**
 * libp2p's transport over relays, which takes the first place that any peer gives.
 *
 * @param isRelay - who may be asked. Whoever gives a place decides who reaches this host, and at which addresses others look for it.
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

/** Doubles with each refusal: each costs the relay a question to the chain, and not everybody registers. */
const WAIT_MS = { first: 5_000, last: 120_000 }

type Options = { clock: Clock; logger: Logger }

/**
 * Asks the connected relays for a place as long as this host has none. libp2p asks once for each connection: a relay that
 * refused a peer before it was registered, or could not ask the chain, would never be asked again.
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
