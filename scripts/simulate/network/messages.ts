import { randomStream } from '../../../node/model/src/base/random.ts'
import { silentLogger } from '../../../node/src/core/logger.ts'
import { createPeerGuard } from '../../../node/src/p2p/connections/peerGuard.ts'
import { encodeAddresses } from '../../../node/src/p2p/gossip/addressAnnouncement.ts'
import { RENEW_MS, startAddressGossip } from '../../../node/src/p2p/gossip/addressGossip.ts'
import { type Announcements, createAnnouncements } from '../../../node/src/p2p/gossip/announcements.ts'
import { createMessageGate } from '../../../node/src/p2p/gossip/messageGate.ts'
import type { SignedMessage } from '../../../node/src/p2p/gossip/signedMessage.ts'
import { topicOf } from '../../../node/src/p2p/gossip/topics.ts'
import type { Host } from '../../../node/src/p2p/host.ts'
import { admitAll } from '../../../node/src/p2p/membership/admission.ts'
import { addressOf, Medium } from './medium.ts'
import { createGossip } from './simulatedGossip.ts'
import { createSigner, isSigned } from './simulatedNetwork.ts'
import { EPOCH_MS, inSimulatedTime, simulatedClock } from './simulatedTime.ts'
import { peerIdOf } from './simulateSwarm.ts'

type MessagesOptions = { seed: string; peers: number; roundSec: number }

const SWARM = { chainId: 1, deployment: 'messages' }
/** Connections that each peer opens, as a node has them by default. */
const TARGET_PEERS = 16
/** Two follow the swarm, as bootnodes do. */
const FOLLOWERS = 2
/** Until peers say their addresses no more often than they ever will. */
const WARM_UP_SEC = 120
const LINKING_SEC = 5
const ZERO = `0x${'00'.repeat(32)}` as const

/**
 * Messages of gossip that the 99th-percentile peer is sent in a round, copies included, of a swarm that has run for days: nobody
 * comes, leaves or moves. Each peer publishes an announcement of each kind. Followers do not count.
 *
 * Gossip of addresses, announcements and the gate of messages are the node's; connections are drawn at random.
 */
export function simulateMessages({ seed, peers: count, roundSec }: MessagesOptions): Promise<number> {
  return inSimulatedTime(seed, async time => {
    const medium = new Medium(time, { latencyMs: [20, 150], loss: 0 })
    const random = randomStream('messages', seed)
    const ids = Array.from({ length: count }, (_, at) => peerIdOf(at))
    const peers = ids.map((peerId, at) => joinPeer(medium, peerId, addressOf(at, peerId), at < FOLLOWERS))
    for (const peer of peers)
      for (let opened = 0; opened < TARGET_PEERS; opened++) {
        const other = random.integer(count)
        if (ids[other] !== peer.peerId) void medium.dial(peer.peerId, addressOf(other, ids[other] as string))
      }
    await time.runUntil(EPOCH_MS + LINKING_SEC * 1_000)
    await remember(peers, medium, (WARM_UP_SEC + roundSec + LINKING_SEC) * 1_000, () => random.uniform())
    await time.runUntil(EPOCH_MS + WARM_UP_SEC * 1_000)
    medium.handled.clear()
    for (const peer of peers) time.after(random.uniform() * roundSec * 1_000, () => void peer.announce())
    await time.runUntil(EPOCH_MS + (WARM_UP_SEC + roundSec) * 1_000)
    for (const peer of peers) peer.stop()
    const handled = ids.slice(FOLLOWERS).map(peerId => medium.handled.get(peerId) ?? 0)
    return handled.sort((a, b) => a - b)[Math.ceil(0.99 * handled.length) - 1] as number
  })
}

type Peer = ReturnType<typeof joinPeer>

function joinPeer(medium: Medium, peerId: string, address: string, follows: boolean) {
  const clock = simulatedClock
  const logger = silentLogger
  const guard = createPeerGuard(clock, logger)
  const gossip = createGossip(medium, peerId, guard.penaltyOf, new Set())
  const host = {
    ...{ peerId, guard, gossip, sign: createSigner(peerId, clock), addresses: () => [address] },
    verify: async (message: SignedMessage) => isSigned(message),
    node: { addEventListener() {}, removeEventListener() {} },
    messageQueue: { enter: async () => {} },
  } as unknown as Host
  medium.join({
    ...{ peerId, address, receive: gossip.receive, subscribes: gossip.subscribes, hasSeen: gossip.hasSeen },
    ...{
      admits: async () => true,
      connected() {},
      disconnected() {},
      answer: () => [],
      serve: async () => 'not-found',
    },
  })
  const gate = createMessageGate(host, { admission: admitAll, sourceOf: sender => sender, clock })
  const common = { swarm: SWARM, gate, clock, logger }
  const announcements: Announcements = createAnnouncements(host, {
    ...{ ...common, follows, currentRound: () => 0, maxBytes: () => 1 },
  })
  const addresses = startAddressGossip(host, { ...common, learn: () => true, isNear: () => true })
  return {
    ...{ peerId, address, rules: addresses.rules },
    async announce() {
      for (const kind of ['rollouts', 'scores', 'canary'] as const)
        await announcements.publish({
          ...{ kind, round: 0, contentId: ZERO, root: ZERO, policyHash: ZERO, count: 0, size: 0 },
        })
    },
    stop() {
      addresses.stop()
      announcements.stop()
    },
  }
}

/** Addresses that each peer already knows: of its neighbours, and of peers whose addresses are due again in this span. */
async function remember(peers: readonly Peer[], medium: Medium, spanMs: number, uniform: () => number): Promise<void> {
  const said: { ageMs: number; message: SignedMessage }[] = []
  for (const { peerId, address } of peers) {
    const ageMs = uniform() * RENEW_MS
    said.push({ ageMs, message: await saidBefore(peerId, address, EPOCH_MS - ageMs) })
  }
  const byId = new Map(peers.map(({ peerId }, at) => [peerId, at]))
  const due = said.flatMap(({ ageMs }, at) => (ageMs + spanMs >= RENEW_MS ? at : []))
  for (const peer of peers) {
    const neighbours = medium.linksOf(peer.peerId).map(id => byId.get(id) as number)
    for (const at of new Set([...neighbours, ...due])) peer.rules.take((said[at] as (typeof said)[number]).message)
  }
}

function saidBefore(peerId: string, address: string, atMs: number): Promise<SignedMessage> {
  const sign = createSigner(peerId, { ...simulatedClock, nowMs: () => atMs })
  const data = encodeAddresses({ v: 1, kind: 'addresses', chainId: SWARM.chainId, peerId, multiaddrs: [address] })
  return sign(topicOf(SWARM, 'addresses'), data)
}
