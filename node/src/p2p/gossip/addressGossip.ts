import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import { dialable } from '../membership/dialable.ts'
import { createPeerBuckets } from '../tokenBucket.ts'
import { type AddressAnnouncement, announceable, checkAddresses, encodeAddresses } from './addressAnnouncement.ts'
import { joinTopics, publishSigned } from './gossipTopics.ts'
import type { MessageGate, MessageRules } from './messageGate.ts'
import { MAX_AHEAD_MS, type SignedMessage, signedAtMs } from './signedMessage.ts'
import { type Swarm, topicOf } from './topics.ts'
import { ignore, ignoreAsMisdated, ignoreAsOurs, type Ours, type Verdict } from './verdict.ts'

/** Time between announcements of our addresses: short after a start, when others may not know our registration yet. */
const REPEAT_MS = { first: 6_000, last: 60_000 }
/** Addresses that were signed longer ago are neither taken nor forwarded: as long as the book keeps them. */
const FORGET_MS = 14 * 24 * 3_600_000
const FORGET_EVERY_MS = 60_000
/**
 * Unchanged addresses are forwarded again after this, by the time of their signature: else each peer would hear every other one once a
 * minute.
 */
export const RENEW_MS = FORGET_MS / 3
/** Registered peers whose messages are forwarded; each takes half a kilobyte. */
const MAX_MESSAGES = 16_384

type AddressGossip = {
  /** As signed, to forward: those of registered peers and our own. */
  signed(): SignedMessage[]
  /** True for a message on the topic of addresses. */
  owns(message: SignedMessage): boolean
  readonly rules: MessageRules
  /** Announces our own addresses now and again soon, when others may know about our registration. */
  sayAgain(): void
  stop(): void
}

type Options = {
  swarm: Swarm
  gate: MessageGate
  /** Stores where a peer can be dialled, as of a time; now without it. @returns false if the book is full. */
  learn: (peerId: string, addresses: readonly string[], heardAtMs?: number) => boolean
  /** Whether a peer is in the same network as this host. */
  isNear: (peerId: string) => boolean
  clock: Clock
  logger: Logger
}

type Entry = { message: SignedMessage; atMs: number }

/**
 * Signed addresses over gossip, so that all peers learn of each other from one bootnode. A stranger's addresses are accepted only from
 * itself and not forwarded: otherwise invented ids could fill every book of the swarm.
 */
export function startAddressGossip(host: Host, options: Options): AddressGossip {
  const { swarm, gate, learn, isNear, clock, logger } = options
  const topic = topicOf(swarm, 'addresses')
  const entries = new Map<string, Entry>()
  let forgetAtMs = Number.NEGATIVE_INFINITY
  // Four at once for a start with changing addresses, then one in fifteen seconds.
  const bucketOf = createPeerBuckets(1 / 15, 4, clock)

  function check(message: SignedMessage): Verdict<AddressAnnouncement> & Ours {
    if (message.topic !== topic) return ignore('topic of another swarm')
    const checked = checkAddresses(message.data, message.from, swarm.chainId)
    if (checked.verdict !== 'accept') return checked
    const atMs = signedAtMs(message)
    if (atMs < clock.nowMs() - FORGET_MS) return ignoreAsMisdated('signed too long ago')
    if (atMs > clock.nowMs() + MAX_AHEAD_MS) return ignoreAsMisdated('signed in the future')
    const held = entries.get(message.from)
    if (held === undefined) return entries.size < MAX_MESSAGES ? checked : ignoreAsOurs('too many addresses to forward')
    if (Buffer.compare(message.sequence, held.message.sequence) <= 0) return ignore('not newer')
    const isSame = Buffer.compare(message.data, held.message.data) === 0
    return isSame && atMs - held.atMs < RENEW_MS ? ignore('nothing new') : checked
  }
  function learnFrom({ peerId, multiaddrs }: AddressAnnouncement, heardAtMs?: number): boolean {
    return peerId !== host.peerId && learn(peerId, dialable(multiaddrs, host.addresses(), isNear(peerId)), heardAtMs)
  }
  function forget(): void {
    if (clock.nowMs() < forgetAtMs) return
    forgetAtMs = clock.nowMs() + FORGET_EVERY_MS
    for (const [peer, { atMs }] of entries) if (atMs < clock.nowMs() - FORGET_MS) entries.delete(peer)
  }
  function take(message: SignedMessage): Verdict<AddressAnnouncement> {
    forget()
    const checked = check(message)
    if (checked.verdict !== 'accept') return checked
    const atMs = signedAtMs(message)
    entries.set(message.from, { message, atMs })
    // Not the time of receipt: peers that catch up get addresses of others that left days ago.
    learnFrom(checked.value, atMs)
    return checked
  }
  function takeStranger(message: SignedMessage): Verdict<AddressAnnouncement> {
    const checked = check(message)
    if (checked.verdict !== 'accept' || learnFrom(checked.value)) return checked
    return ignore('no place for another stranger')
  }
  /** Only messages that provably come from their author count against the author's rate. */
  const paced =
    (taking: (message: SignedMessage) => Verdict<AddressAnnouncement>) =>
    (message: SignedMessage): Verdict<AddressAnnouncement> =>
      bucketOf(message.from).tryTake(1) ? taking(message) : ignore('too many addresses')

  joinTopics(host, {
    topics: [topic],
    subscribes: true,
    gate,
    rules: { check, take: paced(take), takeStranger: paced(takeStranger) },
    logger,
  })
  const own = publishOwn(host, { swarm, topic, clock, logger, take })

  return {
    owns: message => message.topic === topic,
    rules: { check, take, takeStranger },
    signed() {
      forget()
      return [...entries.values()].map(entry => entry.message)
    },
    ...own,
  }
}

/** The addresses that a message announces; none in one of another kind. */
export function addressesIn(message: SignedMessage, swarm: Swarm): readonly string[] {
  if (message.topic !== topicOf(swarm, 'addresses')) return []
  const checked = checkAddresses(message.data, message.from, swarm.chainId)
  return checked.verdict === 'accept' ? checked.value.multiaddrs : []
}

type PublishOptions = {
  swarm: Swarm
  topic: string
  clock: Clock
  logger: Logger
  take: (message: SignedMessage) => unknown
}

/** Announces our own addresses once a minute, at once when they change, and when the first peer can receive them. */
function publishOwn(host: Host, options: PublishOptions): Pick<AddressGossip, 'sayAgain' | 'stop'> {
  const { topic, swarm, clock, logger, take } = options
  let stopped = false
  let said = ''
  let heard = false

  async function publish(): Promise<void> {
    const all = host.addresses()
    const multiaddrs = announceable(all)
    if (multiaddrs.length === 0 || stopped) return
    said = all.join()
    const bytes = encodeAddresses({ v: 1, kind: 'addresses', chainId: swarm.chainId, peerId: host.peerId, multiaddrs })
    const published = await publishSigned(host, topic, bytes)
    heard = published.heard
    take(published.message)
  }
  const say = (): void => {
    publish().catch(cause => logger.debug('could not publish own addresses', { cause }))
  }
  const onSubscription = (): void => {
    if (!heard && host.gossip.getSubscribers(topic).length > 0) {
      heard = true
      say()
    }
  }
  const onOwnUpdate = (): void => {
    if (host.addresses().join() !== said) say()
  }
  async function repeat(signal: AbortSignal): Promise<void> {
    for (let pauseMs = REPEAT_MS.first; !signal.aborted; pauseMs = Math.min(2 * pauseMs, REPEAT_MS.last)) {
      say()
      await clock.sleep(pauseMs * (0.9 + 0.2 * Math.random()), signal)
    }
  }
  let repeating = new AbortController()
  function sayAgain(): void {
    repeating.abort()
    repeating = new AbortController()
    const { signal } = repeating
    repeat(signal).catch(cause => {
      if (!signal.aborted) logger.error('stopped repeating own addresses', { cause })
    })
  }

  host.gossip.addEventListener('subscription-change', onSubscription)
  host.node.addEventListener('self:peer:update', onOwnUpdate)
  sayAgain()
  return {
    sayAgain,
    stop() {
      stopped = true
      repeating.abort()
      host.gossip.removeEventListener('subscription-change', onSubscription)
      host.node.removeEventListener('self:peer:update', onOwnUpdate)
    },
  }
}
