import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { circuitRelayServer } from '@libp2p/circuit-relay-v2'
import { dcutr } from '@libp2p/dcutr'
import { identify } from '@libp2p/identify'
import type { Connection, ConnectionGater } from '@libp2p/interface'
import { mdns } from '@libp2p/mdns'
import { tcp } from '@libp2p/tcp'
import { uPnPNAT } from '@libp2p/upnp-nat'
import { createLibp2p } from 'libp2p'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { createArrivals, MAX_ARRIVALS } from './connections/arrivals.ts'
import { boundRelay } from './connections/boundRelay.ts'
import { connectedPeers } from './connections/connectedPeers.ts'
import { dialBack } from './connections/dialBack.ts'
import { answerPings, keepAlive } from './connections/keepAlive.ts'
import { createPeerGuard, type PeerGuard } from './connections/peerGuard.ts'
import { type RelayTransport, relayTransport, seekRelayPlace } from './connections/relays.ts'
import { agentOf, noteReleases, type Releases } from './connections/releases.ts'
import { paceStreams } from './connections/streamPace.ts'
import { AddressError, ListenError, PortTakenError } from './errors.ts'
import { auditGossip, gossipService } from './gossip/gossipsub.ts'
import { createMessageQueue, type MessageQueue } from './gossip/messageQueue.ts'
import {
  createMessageSigner,
  createMessageVerifier,
  type MessageSigner,
  type SignMessage,
  type VerifyMessage,
} from './gossip/messageSignatures.ts'
import { type PeerPrivateKey, peerPrivateKey } from './keys/peerPrivateKey.ts'
import type { GossipService, Node } from './libp2pNode.ts'
import { isOverTcp, mayListenAt } from './membership/dialable.ts'
import { StreamError } from './streams/streamError.ts'

export type HostOptions = {
  /** libp2p's protobuf private key; the content of a `swarm.pem` will do. */
  privateKey: Uint8Array
  /** TCP multiaddrs; `/p2p-circuit` is a place at any connected relay. If empty, the host only dials. */
  listen: readonly string[]
  /** Multiaddrs at which others reach this host, if they differ from those listened on. */
  announce?: readonly string[]
  /** The allowed gossip topics; subscriptions to others are not stored. */
  topics: readonly string[]
  /** Finds peers on the local network by multicast. Off by default: it leaves this machine. */
  mdns?: boolean
  /** Asks the router for an open port, by UPnP. Off by default: it leaves this machine. */
  upnp?: boolean
  /** Forwards connections to peers that nobody can dial. */
  relays?: boolean
  /** Whether a peer may have a place at this relay; everybody may without it. */
  reserves?: (peerId: string) => Promise<boolean>
  /** Whether this relay connects a peer with another; always without it. */
  relaysFor?: (peerId: string) => boolean
  /** Milliseconds between gossip heartbeats. 1000 is what the gossipsub specification asks for. */
  heartbeatMs?: number
  /** Whether a peer that relays may give this host a place; everybody may without it. */
  isRelay?: (peerId: string) => boolean
  /** Whether a peer that dialled us, from this multiaddr, gets a slot. */
  admits?: (peerId: string, address: string) => Promise<boolean>
  /** Whether this host may dial a multiaddr from any source: in identify, peers can name any address. */
  mayDial?: (address: string) => boolean
  maxConnections?: number
  /** Release of this code, sent in identify; not sent if undefined. */
  release?: string
  clock: Clock
  logger: Logger
}

export type Host = Releases & {
  readonly peerId: string
  readonly node: Node
  readonly gossip: GossipService
  readonly guard: PeerGuard
  /** Signs a message of our own. */
  readonly sign: SignMessage
  /** Whether another process signed a message with our key. */
  readonly isElsewhere: MessageSigner['isElsewhere']
  /** Verifies the author's signature of a message. */
  readonly verify: VerifyMessage
  /** Queue for all handlers of messages. */
  readonly messageQueue: MessageQueue
  /** Multiaddrs, each ending in `/p2p/<peer id>`. */
  addresses(): string[]
  connectedPeers(): string[]
  /** With the multiaddr of the other end; a peer may have two for a moment. */
  connections(): { peerId: string; address: string }[]
  /** Closes all connections with a peer. It may come back. */
  hangUp(peerId: string): void
  stop(): Promise<void>
}

/**
 * Connections above `maxConnections` while it is decided whether a peer gets a slot: libp2p itself refuses without asking.
 */
const ARRIVING = 64

/** Both ends may dial at the same moment, and a restarted process may connect before the loss of its old connection is noticed. */
const CONNECTIONS_OF_PEER = 2

/** A silent address of a peer must not delay its others. */
const ADDRESS_DIAL_TIMEOUT_MS = 3000

/**
 * A relay's limits for each connection: enough for some rounds of gossip and payloads, then it is dialled again. Without a limit a bootnode
 * would relay any amount of traffic.
 */
const relayLimits = {
  maxReservations: 128,
  // A place outlives its peer's connection, and is renewed five minutes before it ends.
  reservationTtl: 20 * 60_000,
  defaultDurationLimit: 60 * 60_000,
  defaultDataLimit: BigInt(64 << 20),
}

/**
 * Maximum that a paused stream may still receive. yamux would let the window grow to 16 MB, and libp2p resets a paused stream
 * that holds more than 4 MB. One megabyte is 10 MB/s at a round trip of 100 ms.
 */
const MAX_WINDOW_BYTES = 1 << 20

/**
 * Starts a libp2p host: TCP, noise, yamux, identify, ping, gossipsub for messages that `gossipTopics.ts` signs and verifies.
 *
 * Without WebSockets: libp2p's listener has no limit of connections before their handshake, and keeps those that were refused.
 *
 * @throws {PortTakenError | ListenError} if it cannot listen.
 * @throws {AddressError} if the private key is invalid, or an address is not over TCP.
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const guard = createPeerGuard(options.clock, options.logger)
  const privateKey = peerPrivateKey(options.privateKey)
  requireTcp(options)
  const arrivals = createArrivals(options.clock)
  let stopping = false
  const gater: ConnectionGater = {
    ...guard.gater,
    denyInboundConnection: arrival => stopping || !arrivals.enter(arrival),
    denyDialMultiaddr: address => options.mayDial?.(address.toString()) === false,
    async denyInboundEncryptedConnection(peer, connection) {
      const peerId = peer.toString()
      if (guard.isBanned(peerId)) return true
      return (await options.admits?.(peerId, connection.remoteAddr.toString())) === false
    },
    denyInboundUpgradedConnection(peer, arrival) {
      arrivals.leave(arrival)
      cutOlder(node.getConnections(peer))
      return false
    },
    denyInboundRelayReservation: async peer => (await options.reserves?.(peer.toString())) === false,
    denyOutboundRelayedConnection: source => options.relaysFor?.(source.toString()) === false,
  }
  const { node, relays } = await startNode({ ...options, privateKey, gater }, guard)
  const gossip = node.services.gossip as GossipService
  paceStreams(node, guard, options.clock)
  await answerPings(node)
  const messageQueue = createMessageQueue()
  const releases = noteReleases(node)
  const stopAudit = auditGossip(node, gossip, guard, options.logger)
  const stopPinging = keepAlive(node, options)
  const stopSeeking = options.listen.includes('/p2p-circuit') ? seekRelayPlace(node, relays, options) : () => {}
  options.logger.info('p2p host started', { peer: node.peerId.toString(), addresses: node.getMultiaddrs().map(String) })
  return {
    peerId: node.peerId.toString(),
    node,
    gossip,
    guard,
    ...createMessageSigner(privateKey, options.clock),
    verify: createMessageVerifier(),
    messageQueue,
    ...releases,
    addresses: () => node.getMultiaddrs().map(String),
    connectedPeers: () => [...connectedPeers(node).keys()],
    connections: () =>
      node.getConnections().map(({ remotePeer, remoteAddr }) => ({
        peerId: remotePeer.toString(),
        address: remoteAddr.toString(),
      })),
    hangUp(peerId) {
      for (const connection of node.getConnections())
        if (connection.remotePeer.toString() === peerId) void close(connection)
    },
    async stop() {
      stopAudit()
      stopPinging()
      stopSeeking()
      // A disconnected peer would dial again at once.
      stopping = true
      await closeAll(node, messageQueue)
      await node.stop()
    },
  }
}

/** Makes space for another connection of a peer, which has only one slot. @param connections - oldest first. */
function cutOlder(connections: readonly Connection[]): void {
  const open = connections.filter(({ status }) => status === 'open')
  for (const one of open.slice(0, Math.max(0, open.length - CONNECTIONS_OF_PEER + 1)))
    one.abort(new StreamError('closed'))
}

/** Closes one connection after the other: `node.stop()` closes all at once, in one turn of the event loop. */
async function closeAll(node: Node, messageQueue: MessageQueue): Promise<void> {
  const closing: Promise<void>[] = []
  for (const connection of node.getConnections()) {
    await messageQueue.enter()
    closing.push(close(connection))
  }
  await Promise.all(closing)
}

async function close(connection: Connection): Promise<void> {
  await connection.close({ signal: AbortSignal.timeout(1000) }).catch(cause => connection.abort(cause))
}

type NodeOptions = Omit<HostOptions, 'privateKey'> & { privateKey: PeerPrivateKey; gater: ConnectionGater }

async function startNode(options: NodeOptions, guard: PeerGuard): Promise<{ node: Node; relays: RelayTransport }> {
  const { promise: relays, resolve } = Promise.withResolvers<RelayTransport>()
  try {
    const node = await createLibp2p({
      privateKey: options.privateKey,
      // libp2p's own default would reveal the version of Node.
      nodeInfo: { userAgent: options.release === undefined ? 'waggle' : agentOf(options.release) },
      addresses: { listen: [...options.listen], announce: [...(options.announce ?? [])] },
      transports: [
        tcp(),
        components => {
          const transport = relayTransport(components, options.isRelay ?? (() => true))
          resolve(transport)
          return transport
        },
      ],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux({ streamOptions: { maxStreamWindowSize: MAX_WINDOW_BYTES } })],
      connectionGater: options.gater,
      connectionManager: {
        maxConnections: CONNECTIONS_OF_PEER * (options.maxConnections ?? 128) + ARRIVING,
        // The order that our own book gives them: what answered before comes first.
        addressSorter: () => 0,
        addressDialTimeout: ADDRESS_DIAL_TIMEOUT_MS,
        // Connections a second from one address. The default of 5 is too few for a swarm on one machine.
        inboundConnectionThreshold: 64,
        // `arrivals.ts` has the real limit: libp2p would refuse the newest, and connections aborted there still count here for a moment.
        maxIncomingPendingConnections: 4 * MAX_ARRIVALS,
      },
      // Our own book drops addresses; libp2p would do so after an hour.
      peerStore: { maxAddressAge: Number.POSITIVE_INFINITY },
      // `keepAlive.ts` pings instead.
      connectionMonitor: { enabled: false },
      ...(options.mdns ? { peerDiscovery: [mdns()] } : {}),
      services: {
        ...{ identify: identify(), gossip: gossipService(options, guard) },
        ...{ autoNat: dialBack, holePunching: dcutr() },
        ...(options.upnp ? { portMapping: uPnPNAT() } : {}),
        ...(options.relays
          ? { relay: boundRelay(circuitRelayServer({ reservations: relayLimits }), options.logger) }
          : {}),
      },
    })
    return { node, relays: await relays }
  } catch (cause) {
    throw explainListenFailure(cause, options.listen)
  }
}

/** libp2p itself would leave out an address that it cannot listen at, and announce any other. */
function requireTcp({ listen, announce = [] }: HostOptions): void {
  const other = listen.find(address => !mayListenAt(address)) ?? announce.find(address => !isOverTcp(address))
  if (other === undefined) return
  throw new AddressError(`${other} is not a TCP multiaddr.`, {
    hint: 'Write `listen` and `announce` as /ip4/0.0.0.0/tcp/4001. Peers connect over TCP alone.',
  })
}

function explainListenFailure(cause: unknown, listen: readonly string[]): unknown {
  if (!(cause instanceof Error) || cause.name !== 'UnsupportedListenAddressesError') return cause
  const where = listen.join(', ')
  if (cause.message.includes('EADDRINUSE')) {
    return new PortTakenError(`The peer-to-peer port of ${where} is in use.`, {
      hint: 'Stop the other process, or choose another port for `listen`.',
      cause,
    })
  }
  return new ListenError(`Cannot listen on ${where}.`, {
    hint: 'Check that `listen` contains TCP multiaddrs of this machine.',
    cause,
  })
}
