import type { Clock } from '../../../node/src/core/clock.ts'
import { contentId } from '../../../node/src/core/contentId.ts'
import type { Logger } from '../../../node/src/core/logger.ts'
import { startDialing } from '../../../node/src/p2p/connections/dialing.ts'
import { createPeerGuard, type PeerGuard } from '../../../node/src/p2p/connections/peerGuard.ts'
import { startAddressGossip } from '../../../node/src/p2p/gossip/addressGossip.ts'
import type { SwarmView } from '../../../node/src/p2p/gossip/announcementCache.ts'
import { createAnnouncements } from '../../../node/src/p2p/gossip/announcements.ts'
import { createMessageGate, type MessageGate, type MessageRules } from '../../../node/src/p2p/gossip/messageGate.ts'
import { encodeSigned, type SignedMessage } from '../../../node/src/p2p/gossip/signedMessage.ts'
import { scoreThresholds } from '../../../node/src/p2p/gossip/topicScore.ts'
import type { Host } from '../../../node/src/p2p/host.ts'
import type { LookUp } from '../../../node/src/p2p/membership/admission.ts'
import { createMembership, type Membership } from '../../../node/src/p2p/membership/membership.ts'
import type { PeerStore } from '../../../node/src/p2p/membership/peerBook.ts'
import type { Network } from '../../../node/src/p2p/network.ts'
import { createAnswerLimits } from '../../../node/src/p2p/transfer/answerLimits.ts'
import type { PayloadRequest } from '../../../node/src/p2p/transfer/payloadTransfer.ts'
import { SETTLE_MS } from '../../../node/src/p2p/transfer/sync.ts'
import { MAX_ANSWERS } from '../../../node/src/p2p/transfer/syncProtocol.ts'
import { createUselessCount } from '../../../node/src/p2p/transfer/uselessMessages.ts'
import type { Medium, Station } from './medium.ts'
import { createGossip, idOf } from './simulatedGossip.ts'

const SYNC_EVERY_MS = 10_000
/** As a node has them. */
const [MISMATCH_POINTS, FAULT_POINTS] = [40, 50]
const BYTES_PER_SEC = 1_000_000

type SimulatedNetworkOptions = SwarmView & {
  medium: Medium
  peerId: string
  address: string
  bootnodes: readonly string[]
  lookUp: LookUp
  store: PeerStore
  bundles: { get: (id: `0x${string}`) => Promise<Uint8Array | null> }
  /** Serves instead of what an honest peer does. */
  serve?: Station['serve']
  /** Forwards to peers that catch up instead of what an honest peer does. */
  answer?: Station['answer']
  targetPeers: number
  maxConnections: number
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

export type SimulatedNetwork = Network & { membership: Membership }

/** The proof that a message is its author's: forged ones lack it, and nothing is computed. */
export const signatureOf = (peerId: string) => Uint8Array.from(Buffer.from(`signed by ${peerId}`))

/**
 * A peer's network over a simulated host: book of addresses, admission, slots, dialling, gate of messages and announcements are
 * the real ones; gossip's mesh, catching up and streams are simulated.
 */
export function joinNetwork(options: SimulatedNetworkOptions): SimulatedNetwork {
  const { medium, peerId, address, clock, logger, signal } = options
  const guard = createPeerGuard(clock, logger)
  const membership = createMembership({
    ...options,
    bootnodes: options.bootnodes.filter(one => one !== address),
    isBootnode: options.bootnodes.includes(address),
    ownId: peerId,
    connections: () => medium.linksOf(peerId).map(id => ({ peerId: id, address: medium.addressOf(id) })),
    isLocal: () => false,
    ownHosts: () => new Set(),
    isBanned: guard.isBanned,
    onLearnt: () => dialing?.wake(),
    onDropped() {},
    random: Math.random,
  })
  /** Messages that are kept here. */
  const have = new Set<string>()
  const gossip = createGossip(medium, peerId, guard.penaltyOf, have)
  const hangUpOn = (other: string) => hangUpOnBad(other, options, guard, gossip)
  const host = hostOf(options, guard, gossip)
  const gate = sharing(createMessageGate(host, { ...membership, clock }), medium.messages)
  const announcements = createAnnouncements(host, { ...options, follows: false, gate })
  const { swarm } = options
  const { learn, isNear } = membership
  const addresses = startAddressGossip(host, { swarm, gate, learn, isNear, clock, logger })
  let dialing: ReturnType<typeof startDialing> | undefined

  const { rules, signed: kept } = addresses
  const { pull, settleIn, catchUp } = createSync(options, { gate, rules, kept, have, guard, hangUpOn })
  const refusal = createAnswerLimits(membership.admission.isRegistered, clock)
  const { fetchPayload, serve } = createTransfers(options, guard, membership)

  medium.join({
    ...{ peerId, address, serve: options.serve ?? serve },
    answer: options.answer ?? (from => (refusal(from) === null ? kept() : null)),
    ...{ subscribes: gossip.subscribes, hasSeen: gossip.hasSeen },
    receive: (sender, ...message) => void gossip.receive(sender, ...message).then(() => hangUpOn(sender)),
    ...linkEvents(options, guard, membership, {
      connected(other) {
        gossip.tellSubscribed()
        quietly(settleIn(other), signal)
      },
      disconnected: () => dialing?.wake(),
    }),
  })
  dialing = startDialing({ schedule: membership.schedule, dial: to => medium.dial(peerId, to), clock, logger })
  quietly(catchUp(), signal)

  return {
    ...{ peerId, host, membership, fetchPayload, catchUp: pull },
    addresses: () => [address],
    connectedPeers: () => medium.linksOf(peerId),
    publish: announcements.publish,
    onAnnouncement: announcements.onAnnouncement,
    announcements: announcements.of,
    sayAddresses: addresses.sayAgain,
    status: membership.status,
    async stop() {
      addresses.stop()
      announcements.stop()
      medium.leave(peerId)
      await dialing?.stop()
      membership.stop()
    },
  } as unknown as SimulatedNetwork
}

/** As a node does at each of gossip's heartbeats. */
function hangUpOnBad(
  other: string,
  { medium, peerId }: SimulatedNetworkOptions,
  guard: PeerGuard,
  gossip: ReturnType<typeof createGossip>,
): void {
  if (gossip.getScore(other) >= scoreThresholds.graylistThreshold || guard.isBanned(other)) return
  guard.ban(other, 'gossip score')
  medium.hangUp(peerId, other)
}

/** Throws the failure of some work unless the peer has ended. */
function quietly(work: Promise<unknown>, signal: AbortSignal): void {
  work.catch(error => {
    if (!signal.aborted) throw error
  })
}

type LinkEvents = Pick<Station, 'admits' | 'connected' | 'disconnected'>

/** Admits connections, and tells the membership of them. */
function linkEvents(
  { medium, peerId, clock }: SimulatedNetworkOptions,
  guard: PeerGuard,
  membership: Membership,
  after: Pick<LinkEvents, 'connected' | 'disconnected'>,
): LinkEvents {
  const sinceMs = new Map<string, number>()
  return {
    async admits(other, from) {
      if (guard.isBanned(other)) return false
      const decision = await membership.admit(other, from)
      if (decision.admit && decision.evict !== undefined) medium.hangUp(peerId, decision.evict)
      return decision.admit
    },
    connected(other) {
      sinceMs.set(other, clock.nowMs())
      const evicted = membership.connected(other)
      if (evicted !== null) medium.hangUp(peerId, evicted)
      after.connected(other)
    },
    disconnected(other) {
      membership.schedule.lost(other, clock.nowMs() - (sinceMs.get(other) ?? 0))
      sinceMs.delete(other)
      after.disconnected(other)
    },
  }
}

/** As much of a host as the real parts of a network use. */
function hostOf(
  { medium, peerId, address, clock }: SimulatedNetworkOptions,
  guard: PeerGuard,
  gossip: ReturnType<typeof createGossip>,
): Host {
  return {
    ...{
      peerId,
      guard,
      gossip,
      sign: createSigner(peerId, clock),
      verify: async (message: SignedMessage) => isSigned(message),
    },
    node: { addEventListener() {}, removeEventListener() {} },
    messageQueue: { enter: async () => {} },
    addresses: () => [address],
    connectedPeers: () => medium.linksOf(peerId),
  } as unknown as Host
}

type SyncModules = {
  gate: MessageGate
  rules: MessageRules
  kept: () => SignedMessage[]
  have: Set<string>
  guard: PeerGuard
  hangUpOn: (peerId: string) => void
}

/** Catching up with peers. Nobody follows the swarm here, so that addresses alone are asked for. */
function createSync({ medium, peerId, clock, signal }: SimulatedNetworkOptions, modules: SyncModules) {
  const { gate, rules, kept, have, guard, hangUpOn } = modules
  async function pull(peer: string): Promise<number> {
    const theirs = await medium.ask(peerId, peer)
    // As the node does it: who their authors are is asked for all at once.
    const admissions: Promise<boolean>[] = []
    const useless = createUselessCount(kept)
    for (const message of theirs?.slice(0, MAX_ANSWERS) ?? []) {
      if (have.has(idOf(message)) || signal.aborted) continue
      const screened = await gate.screen(message, peer, rules, signal)
      if (screened.verdict === 'accept') admissions.push(admit(message, peer))
      else if (screened.verdict === 'ignore' && screened.ours) continue
      else if (screened.verdict === 'reject' || (!screened.misdated && useless.add(message))) {
        guard.penalise(peer, FAULT_POINTS, 'answered with useless messages')
        hangUpOn(peer)
        break
      }
      // A message that is not newer is not asked for again.
      else if (!screened.later) have.add(idOf(message))
    }
    return (await Promise.all(admissions)).filter(isTaken => isTaken).length
  }
  async function admit(message: SignedMessage, peer: string): Promise<boolean> {
    const isTaken = (await gate.admit(message, peer, rules)).verdict === 'accept'
    if (isTaken) have.add(idOf(message))
    return isTaken
  }
  async function settleIn(peer: string): Promise<void> {
    for (const ms of SETTLE_MS) {
      await clock.sleep(ms * (0.5 + Math.random()), signal)
      if (medium.linksOf(peerId).includes(peer)) await pull(peer)
    }
  }
  async function catchUp(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(SYNC_EVERY_MS * (0.5 + Math.random()), signal)
      const links = medium.linksOf(peerId)
      const peer = links[Math.floor(Math.random() * links.length)]
      if (peer !== undefined) await pull(peer)
    }
  }
  return { pull, settleIn, catchUp }
}

/** Payloads from and to other peers, at the pace of a stream. */
function createTransfers(
  { medium, peerId, bundles }: SimulatedNetworkOptions,
  guard: PeerGuard,
  membership: Membership,
) {
  async function fetchPayload(request: PayloadRequest) {
    const got = await medium.fetch(request, peerId, membership.addressesOf(request.peer))
    if (typeof got === 'string' || contentId(got) === request.contentId) return got
    guard.penalise(request.peer, MISMATCH_POINTS, 'sent a payload that is not what was asked for')
    return 'mismatch'
  }
  async function serve(request: PayloadRequest) {
    const payload = await bundles.get(request.contentId)
    if (payload === null) return 'not-found'
    if (payload.byteLength > request.maxBytes) return 'too-large'
    await medium.pass((payload.byteLength / BYTES_PER_SEC) * 1000)
    request.onBytes?.(payload.byteLength)
    return payload
  }
  return { fetchPayload, serve }
}

/** Has all peers keep one copy of a message: of a thousand peers' words a thousand copies would be gigabytes. */
function sharing(gate: MessageGate, messages: Map<string, SignedMessage>): MessageGate {
  return {
    ...gate,
    admit(message, sender, rules) {
      const id = idOf(message)
      const shared = messages.get(id) ?? message
      messages.set(id, shared)
      return gate.admit(shared, sender, rules)
    },
  }
}

/** Signs without computing anything. */
export function createSigner(peerId: string, clock: Clock): Host['sign'] {
  let last = 0n
  return async (topic, data) => {
    const nowNs = BigInt(Math.floor(clock.nowMs())) * 1_000_000n
    last = nowNs > last ? nowNs : last + 1n
    const sequence = new Uint8Array(8)
    new DataView(sequence.buffer).setBigUint64(0, last)
    return encodeSigned({ from: peerId, sequence, topic, data, signature: signatureOf(peerId), key: new Uint8Array(0) })
  }
}

export const isSigned = ({ from, signature }: SignedMessage) => Buffer.compare(signature, signatureOf(from)) === 0
