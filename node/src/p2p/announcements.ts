import type { Logger } from '#core/logger.ts'
import { type Announcement, encodeAnnouncement } from './announcement.ts'
import { createAnnouncementCache, type SwarmView } from './announcementCache.ts'
import { joinTopics, publishSigned } from './gossipTopics.ts'
import type { Host } from './host.ts'
import type { MessageGate, MessageRules } from './messageGate.ts'
import type { SignedMessage } from './signedMessage.ts'
import { type AnnouncementKind, announcementKinds, topicOf } from './topics.ts'
import type { Verdict } from './verdict.ts'

export type AnnouncementHandler = (announcement: Announcement) => void | Promise<void>

/** What the author fills in; the rest is known. */
export type OwnAnnouncement = Omit<Announcement, 'v' | 'chainId' | 'peerId'>

export type Announcements = {
  /** Signs and gossips an announcement of our own; peers that come later get it too. @throws {AnnouncementError} */
  publish(announcement: OwnAnnouncement): Promise<void>
  /** Calls `handler` for each new or amended announcement of another peer. @returns a function that ends it. */
  onAnnouncement(kind: AnnouncementKind, handler: AnnouncementHandler): () => void
  /** The latest of each kind and peer, our own included. */
  of(round: number, kind?: AnnouncementKind): Announcement[]
  /** As signed, for handing on. */
  signed(from: number, to: number): SignedMessage[]
  readonly rules: MessageRules
  stop(): void
}

type Options = SwarmView & { gate: MessageGate; logger: Logger }

/** Announcements over gossip: checks, keeps and hands on those of others, and publishes ours. */
export function createAnnouncements(host: Host, options: Options): Announcements {
  const { swarm, logger } = options
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

  const rules = { check: cache.check, take }
  joinTopics(host, { topics, gate: options.gate, rules, logger })

  return {
    async publish(announcement) {
      const bytes = encodeAnnouncement({ ...announcement, v: 1, chainId: swarm.chainId, peerId: host.peerId })
      const { message } = await publishSigned(host, topicOf(swarm, announcement.kind), bytes)
      take(message)
    },
    onAnnouncement(kind, handler) {
      const set = handlers.get(kind) ?? new Set()
      handlers.set(kind, set.add(handler))
      return () => void set.delete(handler)
    },
    of: cache.of,
    signed: cache.signed,
    rules,
    stop: () => handlers.clear(),
  }
}
