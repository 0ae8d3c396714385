import type { PeerId, Stream } from '@libp2p/interface'
import { randomStream } from '../../../node/model/src/base/random.ts'
import { silentLogger } from '../../../node/src/core/logger.ts'
import { createPeerGuard } from '../../../node/src/p2p/connections/peerGuard.ts'
import { startAddressGossip } from '../../../node/src/p2p/gossip/addressGossip.ts'
import { createMessageGate } from '../../../node/src/p2p/gossip/messageGate.ts'
import type { SignedMessage } from '../../../node/src/p2p/gossip/signedMessage.ts'
import type { Host } from '../../../node/src/p2p/host.ts'
import { admitAll } from '../../../node/src/p2p/membership/admission.ts'
import { startSync } from '../../../node/src/p2p/transfer/sync.ts'
import { streamPair } from './fakeStream.ts'
import { addressOf } from './medium.ts'
import { createSigner, isSigned } from './simulatedNetwork.ts'
import { EPOCH_MS, inSimulatedTime, type SimulatedTime, simulatedClock } from './simulatedTime.ts'
import { peerIdOf } from './simulateSwarm.ts'

type CatchUpOptions = { seed: string; peers: number; withinSec: number }

type CatchUp = {
  /** Seconds until every peer knew where all authors are that it needs; null if some did not within the time. */
  neededSec: number | null
  /** Seconds until every peer knew where all others are. */
  allSec: number | null
  /** Answers given, and questions that were turned away. */
  answered: number
  refused: number
  /** Peers that another one holds a fault against: all are honest. */
  accused: number
}

const SWARM = { chainId: 1, deployment: 'catching up' }
/** Connections that each peer opens, and how far apart, as a node does by default. */
const [TARGET_PEERS, BETWEEN_DIALS_MS] = [16, 250]
/** Authors that a peer needs in a round: a shard that it scores, or peers to learn from. */
const NEEDED = 16
const LATENCY_MS = [20, 150] as const

/**
 * A swarm that restarts at once after an outage: all state is lost, and gossip carries nothing, so that peers learn addresses only by
 * catching up.
 *
 * Catching up with its limits, the gate of messages and the rules of addresses are the node's; connections are drawn at random.
 */
export function simulateCatchUp({ seed, peers: count, withinSec }: CatchUpOptions): Promise<CatchUp> {
  return inSimulatedTime(seed, async time => {
    const random = randomStream('catching up', seed)
    const wire = createWire(time, () => LATENCY_MS[0] + (LATENCY_MS[1] - LATENCY_MS[0]) * random.uniform())
    const peers = await Promise.all(Array.from({ length: count }, (_, at) => start(wire, at)))
    for (const [at, peer] of peers.entries())
      for (let opened = 0; opened < TARGET_PEERS; opened++) {
        const other = random.integer(count)
        if (other === at) continue
        time.after((opened + random.uniform()) * BETWEEN_DIALS_MS, () => wire.connect(peer.peerId, peerIdOf(other)))
      }
    const needed = peers.map(() => Array.from({ length: NEEDED }, () => peerIdOf(random.integer(count))))
    let neededSec: number | null = null
    let allSec: number | null = null
    for (let sec = 1; sec <= withinSec && allSec === null; sec++) {
      await time.runUntil(EPOCH_MS + sec * 1_000)
      const [some, all] = [
        peers.every((peer, at) => needed[at]?.every(peer.knows)),
        peers.every(peer => peer.isComplete(count)),
      ]
      if (some) neededSec ??= sec
      if (all) allSec = sec
    }
    const accused = new Set(peers.flatMap(peer => [...peer.accused])).size
    const found = { neededSec, allSec, answered: wire.answered(), refused: wire.refused(), accused }
    for (const peer of peers) void peer.stop()
    await time.runUntil(time.nowMs() + 60_000)
    return found
  })
}

type Serve = (stream: Stream, connection: { remotePeer: PeerId }) => Promise<void>
type Topology = { onConnect(peer: PeerId): void }
type Station = { id: PeerId; links: Map<string, { remotePeer: PeerId }>; serve: Serve; topology: Topology }
type Wire = ReturnType<typeof createWire>

/** Stands in for libp2p in catching up: connections, and streams over them. */
function createWire(time: SimulatedTime, latencyMs: () => number) {
  const stations = new Map<string, Station>()
  let [asked, refused] = [0, 0]
  const at = (peerId: string) => stations.get(peerId) as Station
  return {
    time,
    answered: () => asked - refused,
    refused: () => refused,
    join: (peerId: string, station: Station) => void stations.set(peerId, station),
    connect(one: string, other: string): void {
      if (at(one).links.has(other)) return
      for (const [from, to] of [[one, other] as const, [other, one] as const]) {
        at(from).links.set(to, { remotePeer: at(to).id })
        at(from).topology.onConnect(at(to).id)
      }
    },
    async open(from: string, to: string): Promise<Stream> {
      const ms = latencyMs()
      await new Promise<void>(resolve => time.after(2 * ms, resolve))
      const [asking, answering] = streamPair(time, ms)
      asked += 1
      answering.addEventListener('close', event => {
        if ((event as { error?: Error }).error !== undefined) refused += 1
      })
      void at(to).serve(answering, { remotePeer: at(from).id })
      return asking
    },
  }
}

async function start(wire: Wire, number: number) {
  const clock = simulatedClock
  const logger = silentLogger
  const peerId = peerIdOf(number)
  const accused = new Set<string>()
  const guard = createPeerGuard(clock, logger)
  const id = { toString: () => peerId } as PeerId
  const station = { id, links: new Map() } as unknown as Station
  wire.join(peerId, station)
  const node = {
    addEventListener() {},
    removeEventListener() {},
    getConnections: () => [...station.links.values()],
    handle: async (_: string, serve: Serve) => Object.assign(station, { serve }),
    register: async (_: string, topology: Topology) => Object.assign(station, { topology }),
    unregister() {},
    async unhandle() {},
    dialProtocol: (to: PeerId) => wire.open(peerId, to.toString()),
  }
  const host = {
    ...{ peerId, node, sign: createSigner(peerId, clock), addresses: () => [addressOf(number, peerId)] },
    guard: { ...guard, penalise: (peer: string) => accused.add(peer) },
    gossip: silentGossip(),
    verify: async (message: SignedMessage) => isSigned(message),
    messageQueue: { enter: async () => {} },
  } as unknown as Host
  const gate = createMessageGate(host, { admission: admitAll, sourceOf: sender => sender, clock })
  const known = new Set([peerId])
  const learn = (other: string) => known.add(other).size > 0
  const addresses = startAddressGossip(host, { swarm: SWARM, gate, learn, isNear: () => true, clock, logger })
  const store = { signed: addresses.signed, rulesOf: () => addresses.rules, rounds: () => ({ from: 1, to: 0 }) }
  const sync = await startSync(host, { store, gate, isRegistered: () => true, clock, logger })
  return {
    ...{ peerId, accused },
    knows: (other: string) => known.has(other),
    isComplete: (count: number) => known.size === count,
    async stop() {
      addresses.stop()
      await sync.stop()
    },
  }
}

/** Gossip that carries nothing. */
function silentGossip() {
  return {
    ...{ topicValidators: new Map(), subscribe() {}, getSubscribers: () => [] },
    ...{ addEventListener() {}, removeEventListener() {}, publish: async () => ({ recipients: [] }) },
  }
}
