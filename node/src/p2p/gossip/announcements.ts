import type { Logger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import { type Announcement, encodeAnnouncement } from './announcement.ts'
import { createAnnouncementCache, type SwarmView } from './announcementCache.ts'
import { joinTopics, publishSigned } from './gossipTopics.ts'
import type { MessageGate, MessageRules } from './messageGate.ts'
import type { SignedMessage } from './signedMessage.ts'
import { type AnnouncementKind, announcementKinds, type Swarm, topicOf } from './topics.ts'
import { ignore, type Verdict } from './verdict.ts'

export type AnnouncementHandler = (announcement: Announcement) => void | Promise<void>

/** The fields that the author sets; the rest is derived. */
export type OwnAnnouncement = Omit<Announcement, 'v' | 'chainId' | 'peerId'>

export type Announcements = {
  /** Signs and gossips an announcement of our own; peers that come later get it too. @throws {AnnouncementError} */
  publish(announcement: OwnAnnouncement): Promise<void>
  /** Calls `handler` for each new or amended announcement of another peer. @returns a function that ends it. */
  onAnnouncement(kind: AnnouncementKind, handler: AnnouncementHandler): () => void
  /** The latest of each kind and peer, our own included. */
  of(round: number, kind?: AnnouncementKind): Announcement[]
  /** As signed, for forwarding. */
  signed(from: number, to: number): SignedMessage[]
  readonly rules: MessageRules
  stop(): void
}

type Options = SwarmView & {
  /** Whether to receive announcements of all others; otherwise only our own are kept. */
  follows: boolean
  gate: MessageGate
  logger: Logger
}

/** Announcements over gossip: checks, stores and forwards those of others, and publishes ours. */
export function createAnnouncements(host: Host, options: Options): Announcements {
  const { swarm, follows, logger } = options
  const cache = createAnnouncementCache(options)
  const handlers = new Map<AnnouncementKind, Set<AnnouncementHandler>>()
  const topics = announcementKinds.map(kind => topicOf(swarm, kind))

  function keep(announcement: Announcement, message: SignedMessage): void {
    cache.put(announcement, message)
    if (announcement.peerId === host.peerId) return
    for (const handler of handlers.get(announcement.kind) ?? []) call(handler, announcement)
  }
  function call(handler: AnnouncementHandler, announcement: Announcement): void {
    Promise.resolve(announcement)
      .then(handler)
      .catch(error => logger.error('an announcement handler failed', { kind: announcement.kind, error }))
  }
  function take(message: SignedMessage): Verdict<Announcement> {
    const checked = cache.check(message)
    if (checked.verdict === 'accept') keep(checked.value, message)
    return checked
  }

  const uninvited = () => ignore('it was not requested')
  const rules = follows ? { check: cache.check, take } : { check: uninvited, take: uninvited }
  joinTopics(host, { topics, subscribes: follows, gate: options.gate, rules, logger })
  const own = publishOwn(host, { swarm, take, logger })

  return {
    publish: own.publish,
    onAnnouncement(kind, handler) {
      const set = handlers.get(kind) ?? new Set()
      handlers.set(kind, set.add(handler))
      return () => void set.delete(handler)
    },
    of: cache.of,
    signed: cache.signed,
    rules,
    stop() {
      own.stop()
      handlers.clear()
    },
  }
}

/** Most rounds and kinds that wait for a listener. */
const MAX_UNHEARD = 64

type PublishOptions = { swarm: Swarm; take: (message: SignedMessage) => unknown; logger: Logger }

/** Publishes our own announcements; those without a listener are repeated to the first peer that follows the swarm. */
function publishOwn(host: Host, { swarm, take, logger }: PublishOptions): Pick<Announcements, 'publish' | 'stop'> {
  const unheard = new Map<string, OwnAnnouncement>()

  async function publish(announcement: OwnAnnouncement): Promise<void> {
    const { kind, round } = announcement
    const bytes = encodeAnnouncement({ ...announcement, v: 1, chainId: swarm.chainId, peerId: host.peerId })
    const { message, heard } = await publishSigned(host, topicOf(swarm, kind), bytes)
    take(message)
    unheard.delete(`${kind}/${round}`)
    if (!heard) unheard.set(`${kind}/${round}`, announcement)
    for (const oldest of unheard.keys()) if (unheard.size > MAX_UNHEARD) unheard.delete(oldest)
  }
  function onSubscription(): void {
    for (const [key, announcement] of unheard) {
      if (host.gossip.getSubscribers(topicOf(swarm, announcement.kind)).length === 0) continue
      unheard.delete(key)
      publish(announcement).catch(cause => logger.debug('could not publish again', { cause }))
    }
  }
  host.gossip.addEventListener('subscription-change', onSubscription)
  return { publish, stop: () => host.gossip.removeEventListener('subscription-change', onSubscription) }
}
