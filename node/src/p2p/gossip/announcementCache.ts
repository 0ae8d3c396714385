import { type Announcement, checkAnnouncement } from './announcement.ts'
import type { SignedMessage } from './signedMessage.ts'
import { roundsKept, topicRules } from './topicRules.ts'
import { type AnnouncementKind, kindOf, type Swarm } from './topics.ts'
import { ignore, ignoreAsOurs, type Ours, type Verdict } from './verdict.ts'

/** As many as registered peers are known, of each kind: about 8 MB. Each author costs a registration. */
const MAX_PER_ROUND = 3 * 16_384

type AnnouncementCache = {
  /** Checks everything but the signature; changes nothing. */
  check(message: SignedMessage): Verdict<Announcement> & Ours
  /** Keeps an announcement that {@link check} accepted. */
  put(announcement: Announcement, message: SignedMessage): void
  /** The latest announcement of each kind and peer, of one round. */
  of(round: number, kind?: AnnouncementKind): Announcement[]
  /** As signed, from round `from` to round `to`, both inside. */
  signed(from: number, to: number): SignedMessage[]
}

type Entry = { announcement: Announcement; message: SignedMessage; received: number }

/** The node's view of the swarm. */
export type SwarmView = {
  swarm: Swarm
  /** The chain's round, or null while it is unknown: then every round is near. */
  currentRound: () => number | null
  /** Bytes of a payload that the environment allows. A larger one is ignored, as our view of the environment may be late. */
  maxBytes: (kind: AnnouncementKind) => number
}

/** The latest announcement of each kind, peer and round, near the current round. */
export function createAnnouncementCache(view: SwarmView): AnnouncementCache {
  const { swarm, currentRound, maxBytes } = view
  const rounds = new Map<number, Map<string, Entry>>()

  function prune(): void {
    const now = currentRound()
    if (now === null) return
    for (const round of rounds.keys()) {
      if (round < now + roundsKept.earliest || round > now + roundsKept.latest) rounds.delete(round)
    }
  }
  function check(message: SignedMessage): Verdict<Announcement> & Ours {
    const kind = kindOf(swarm, message.topic)
    if (kind === null || kind === 'addresses') return ignore('topic of another swarm')
    const checked = checkAnnouncement(message.data, message.from, { kind, chainId: swarm.chainId })
    if (checked.verdict !== 'accept') return checked
    if (checked.value.size > maxBytes(kind)) return ignoreAsOurs('a payload larger than the environment allows')
    const { round } = checked.value
    const rule = topicRules[kind]
    const now = currentRound()
    if (now !== null && (round < now + rule.earliest || round > now + rule.latest)) return ignore('round too far')
    const held = rounds.get(round)?.get(keyOf(checked.value))
    if (held === undefined)
      return (rounds.get(round)?.size ?? 0) < MAX_PER_ROUND ? checked : ignoreAsOurs('round is full')
    if (Buffer.compare(message.sequence, held.message.sequence) <= 0) return ignore('not newer')
    return held.received < rule.perPeerAndRound ? checked : ignore('too many for one peer and round')
  }
  return {
    check,
    put(announcement, message) {
      prune()
      const entries = rounds.get(announcement.round) ?? new Map<string, Entry>()
      rounds.set(announcement.round, entries)
      const key = keyOf(announcement)
      entries.set(key, { announcement, message, received: (entries.get(key)?.received ?? 0) + 1 })
    },
    of(round, kind) {
      const all = [...(rounds.get(round)?.values() ?? [])].map(entry => entry.announcement)
      return kind === undefined ? all : all.filter(announcement => announcement.kind === kind)
    },
    signed(from, to) {
      prune()
      const wanted = [...rounds].filter(([round]) => round >= from && round <= to)
      return wanted.flatMap(([, entries]) => [...entries.values()].map(entry => entry.message))
    },
  }
}

const keyOf = (announcement: Announcement): string => `${announcement.kind}/${announcement.peerId}`
