import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import {
  type AddressAnnouncement,
  checkAddresses,
  dialable,
  encodeAddresses,
  isLoopback,
  isMultiaddr,
  MAX_ADDRESSES,
} from './addressAnnouncement.ts'
import { createFloodCount } from './floodCount.ts'
import { joinTopics, publishSigned } from './gossipTopics.ts'
import type { Host } from './host.ts'
import type { SignedMessage } from './signedMessage.ts'
import { createPeerBuckets } from './tokenBucket.ts'
import { type Swarm, topicOf } from './topics.ts'
import { ignore, type Verdict } from './verdict.ts'

const REPEAT_MS = 60_000
/** An address that was not repeated for so long is forgotten. */
const FORGET_MS = 15 * 60_000
const MAX_PEERS = 1000

export type Contact = { peerId: string; addresses: string[] }

export type AddressBook = {
  /** Peers that said where they are, with the addresses that can be dialled from here. */
  contacts(): Contact[]
  /** As signed, for handing on. */
  signed(): SignedMessage[]
  /** True for a message on the topic of addresses. */
  owns(message: SignedMessage): boolean
  check(message: SignedMessage): Verdict<AddressAnnouncement>
  /** Checks a message whose signature has been verified, and keeps it if it is accepted. */
  take(message: SignedMessage): Verdict<AddressAnnouncement>
  stop(): void
}

type Options = { swarm: Swarm; clock: Clock; logger: Logger; onContact: () => void }
type Entry = { announcement: AddressAnnouncement; message: SignedMessage; parsed: string[]; atMs: number }

/**
 * Signed addresses over gossip, so that all peers learn each other from one bootnode.
 *
 * @param options.onContact - called when an address was learnt or changed.
 */
export function createAddressBook(host: Host, options: Options): AddressBook {
  const { swarm, clock, logger } = options
  const topic = topicOf(swarm, 'addresses')
  const entries = new Map<string, Entry>()
  // Four at once for a start with changing addresses, then one in fifteen seconds.
  const bucketOf = createPeerBuckets(1 / 15, 4, clock)

  function check(message: SignedMessage): Verdict<AddressAnnouncement> {
    if (message.topic !== topic) return ignore('topic of another swarm')
    const checked = checkAddresses(message.data, message.from, swarm.chainId)
    if (checked.verdict !== 'accept') return checked
    const held = entries.get(message.from)
    if (held === undefined) return entries.size < MAX_PEERS ? checked : ignore('address book is full')
    return Buffer.compare(message.sequence, held.message.sequence) > 0 ? checked : ignore('not newer')
  }
  function keep(announcement: AddressAnnouncement, message: SignedMessage): void {
    for (const [peer, entry] of entries) if (entry.atMs < clock.nowMs() - FORGET_MS) entries.delete(peer)
    const before = entries.get(message.from)?.announcement.multiaddrs.join()
    const parsed = announcement.multiaddrs.filter(isMultiaddr)
    entries.set(message.from, { announcement, message, parsed, atMs: clock.nowMs() })
    if (before !== announcement.multiaddrs.join() && message.from !== host.peerId) options.onContact()
  }
  function take(message: SignedMessage): Verdict<AddressAnnouncement> {
    const checked = check(message)
    if (checked.verdict === 'accept') keep(checked.value, message)
    return checked
  }
  /** Only a message that its author is proven to have sent counts against the author's pace. */
  function takeFromGossip(message: SignedMessage): Verdict<AddressAnnouncement> {
    const checked = check(message)
    if (checked.verdict !== 'accept') return checked
    return bucketOf(message.from).tryTake(1) ? take(message) : ignore('too many addresses')
  }

  joinTopics(host, {
    topics: [topic],
    check,
    take: takeFromGossip,
    onUseless: createFloodCount(host.guard, clock),
    logger,
  })
  const stopPublishing = publishOwn(host, { swarm, topic, clock, logger, take })

  return {
    owns: message => message.topic === topic,
    check,
    take,
    signed: () => [...entries.values()].map(entry => entry.message),
    contacts() {
      const own = host.addresses()
      return [...entries]
        .filter(([peerId]) => peerId !== host.peerId)
        .map(([peerId, { parsed }]) => ({ peerId, addresses: dialable(parsed, own) }))
        .filter(contact => contact.addresses.length > 0)
    },
    stop: stopPublishing,
  }
}

type PublishOptions = {
  swarm: Swarm
  topic: string
  clock: Clock
  logger: Logger
  take: (message: SignedMessage) => unknown
}

/** Says our own addresses once a minute, and at once when they change or when there is first somebody to hear. */
function publishOwn(host: Host, options: PublishOptions): () => void {
  const { topic, swarm, clock, logger, take } = options
  const stopping = new AbortController()
  let said = ''
  let heard = false

  async function publish(): Promise<void> {
    const all = host.addresses()
    const beyond = all.filter(address => !isLoopback(address))
    const multiaddrs = (beyond.length > 0 ? beyond : all).slice(0, MAX_ADDRESSES)
    if (multiaddrs.length === 0 || stopping.signal.aborted) return
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
  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      say()
      await clock.sleep(REPEAT_MS * (0.8 + 0.4 * Math.random()), stopping.signal)
    }
  }

  host.gossip.addEventListener('subscription-change', onSubscription)
  host.node.addEventListener('self:peer:update', onOwnUpdate)
  repeat().catch(cause => {
    if (!stopping.signal.aborted) logger.error('stopped repeating own addresses', { cause })
  })
  return () => {
    stopping.abort()
    host.gossip.removeEventListener('subscription-change', onSubscription)
    host.node.removeEventListener('self:peer:update', onOwnUpdate)
  }
}
