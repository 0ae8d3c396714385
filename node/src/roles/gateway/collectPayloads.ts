import type { Clock } from '#core/clock.ts'
import type { ContentId } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import type { Logger } from '#core/logger.ts'
import type { Payloads } from '#core/payloads/payloads.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Announcement } from '#p2p/gossip/announcement.ts'
import { type AnnouncementKind, announcementKinds } from '#p2p/gossip/topics.ts'
import type { Network } from '#p2p/network.ts'
import type { Bundles } from '#store/bundles.ts'
import type { DiskGuard } from '#store/diskGuard.ts'
import { type Commitments, type Committed, commitmentTo, committedBy } from './commitments.ts'
import { slotOf } from './payloadSlot.ts'
import type { PeerIds } from './peerIds.ts'

/** A payload and its holder, from an announcement or from the chain. */
type OfferedPayload = Pick<Announcement, 'kind' | 'round' | 'peerId' | 'contentId' | 'policyHash' | 'size'>

/** The outcome of a payload that is not kept. */
export type Refusal =
  | 'not committed'
  | 'contradicts its commitment'
  | 'not what was committed'
  | 'over quota'
  | 'unavailable'

type PayloadCounts = { kept: number; waiting: number; refused: Record<Refusal, number> }

type CollectorModules = {
  network: Pick<Network, 'onAnnouncement'>
  bundles: Pick<Bundles, 'wouldKeep' | 'has' | 'get' | 'forget'>
  commitments: Commitments
  peerIds: PeerIds
  /** Whether {@link onPayload} was called with it, now or before a restart. */
  isKept: (payload: OfferedPayload) => boolean
  /** Fetches and stores a payload. @returns whether somebody served it. */
  fetch: (announcement: OfferedPayload, commitment: Committed) => Promise<boolean>
  /** Opens the bundle in the bytes, if it is the committed one. */
  open: (
    announcement: OfferedPayload,
    commitment: Committed,
    bytes: Uint8Array,
  ) => Promise<Payloads[AnnouncementKind] | null>
  /** Called with each payload that is kept, once. */
  onPayload: (announcement: OfferedPayload, payload: Payloads[AnnouncementKind]) => void
  disk: Pick<DiskGuard, 'isFault' | 'untilWritable'>
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

/** Time between two reads of the chain, each for one round and kind, so that announcements cannot cause more reads. */
const READ_EVERY_MS = 1_000

/** Payloads opened at a time: each is in memory as a whole. */
const OPENED = 4
/** Payloads of one peer that are fetched or opened at once. The plan limits all fetches: only a peer that waits in its queue has a share of its slots. */
const OF_PEER = 1

/**
 * Fetches the announced payloads that the chain has a commitment to, and keeps them. An announcement that precedes its commitment waits,
 * without its payload, until no commitment is possible any more.
 */
export function collectPayloads(modules: CollectorModules) {
  const { network, commitments, clock, logger } = modules
  const ended = new AbortController()
  const signal = AbortSignal.any([modules.signal, ended.signal])
  const seen = createSeen()
  const waiting = createWaiting()
  const keeper = createKeeper(modules, signal, { again: waiting.add, forget: seen.forget })

  /** Fetches committed payloads that were not announced: the chain has their author and hash, but not their size. */
  async function takeCommitted(round: number, kind: Exclude<AnnouncementKind, 'canary'>): Promise<void> {
    const committed = await commitments.read(round, kind)
    const idOf = await modules.peerIds(committed.map(({ peerKey }) => peerKey))
    for (const commitment of committed) {
      const { peerKey, contentId, policyHash = ZERO_HASH } = commitment
      const peerId = idOf.get(peerKey)
      if (peerId === undefined || signal.aborted) continue
      const payload: OfferedPayload = { kind, round, peerId, contentId, policyHash, size: 0 }
      if (!modules.isKept(payload) && seen.add(payload)) keeper.start(payload, commitment)
    }
  }

  async function run(): Promise<void> {
    let outage = false
    while (!signal.aborted) {
      for (const announced of await waiting.some()) {
        await modules.disk.untilWritable(signal).catch(() => {})
        if (signal.aborted) return
        const error = await decide(announced, commitments, keeper).catch(thrown => thrown ?? new Error('unknown'))
        if (error !== undefined && !outage) logger.warn('payloads wait for the chain', { error })
        outage = error !== undefined
        await clock.sleep(READ_EVERY_MS, signal).catch(() => {})
      }
    }
  }

  const stops = announcementKinds.map(kind =>
    network.onAnnouncement(kind, announcement => {
      if (seen.add(announcement)) waiting.add(announcement)
    }),
  )
  signal.addEventListener('abort', waiting.wake)
  const running = run()

  return {
    counts: (): PayloadCounts => ({ ...keeper.counts, waiting: waiting.count() }),
    forgetBefore: seen.forgetBefore,
    takeCommitted,
    /** Resolves when running fetches are over. */
    async stop() {
      ended.abort()
      for (const stop of stops) stop()
      await running
      await keeper.idle()
    },
  }
}

/** Decides the waiting announcements of a round and kind, and removes those that are decided. */
async function decide(
  announced: Map<string, OfferedPayload>,
  commitments: CollectorModules['commitments'],
  keeper: ReturnType<typeof createKeeper>,
): Promise<void> {
  const { round, kind } = announced.values().next().value as OfferedPayload
  // Read first, so that a commitment made in between is not missed.
  const isFinal = commitments.isFinal(round, kind)
  const committed = await commitments.read(round, kind)
  for (const [slot, announcement] of announced) {
    const peerKey = peerKeyOf(announcement.peerId)
    const commitment = commitmentTo(committed, kind, { ...announcement, peerKey })
    if (commitment === undefined && !isFinal) continue
    announced.delete(slot)
    const contradicts = committedBy(committed, peerKey).length > 0
    if (commitment) keeper.start(announcement, commitment)
    else keeper.refuse(announcement, contradicts ? 'contradicts its commitment' : 'not committed')
  }
}

/** The newest announcement of each slot of a round: a repeat costs nothing more. */
function createSeen() {
  const contents = new Map<string, ContentId>()
  const idOf = (payload: OfferedPayload) => `${payload.round} ${slotOf(payload)}`

  return {
    /** @returns false for a repeat. */
    add(announcement: OfferedPayload): boolean {
      const id = idOf(announcement)
      if (contents.get(id) === announcement.contentId) return false
      contents.set(id, announcement.contentId)
      return true
    },
    forget: (announcement: OfferedPayload) => void contents.delete(idOf(announcement)),
    forgetBefore(round: number): void {
      for (const id of contents.keys()) if (Number.parseInt(id, 10) < round) contents.delete(id)
    },
  }
}

/** Announcements that are not decided: of each slot the newest, by round and kind. */
function createWaiting() {
  const byRound = new Map<string, Map<string, OfferedPayload>>()
  let wake = () => {}

  return {
    wake: () => wake(),
    add(announcement: OfferedPayload): void {
      const key = `${announcement.round} ${announcement.kind}`
      byRound.set(key, (byRound.get(key) ?? new Map()).set(slotOf(announcement), announcement))
      wake()
    },
    /** Announcements of each round and kind, to be removed once they are decided; waits until there are some. */
    async some(): Promise<Map<string, OfferedPayload>[]> {
      for (const [key, announced] of byRound) if (announced.size === 0) byRound.delete(key)
      if (byRound.size === 0) await new Promise<void>(resolve => (wake = resolve))
      return [...byRound.values()]
    },
    count: () => [...byRound.values()].reduce((sum, announced) => sum + announced.size, 0),
  }
}

type KeeperEvents = {
  /** Called if the disk is full, to retry later. */
  again: (announcement: OfferedPayload) => void
  /** Called if the same announcement may be accepted later. */
  forget: (announcement: OfferedPayload) => void
}

/** Fetches committed payloads, a few at a time, opens them, and counts the outcome of each. */
function createKeeper(modules: CollectorModules, signal: AbortSignal, events: KeeperEvents) {
  const { bundles, disk, logger } = modules
  const ofPeer = createKeyedLimit(OF_PEER)
  const opening = createKeyedLimit(OPENED)
  const underWay = new Set<Promise<void>>()
  const counts = {
    kept: 0,
    refused: {
      'not committed': 0,
      'contradicts its commitment': 0,
      'not what was committed': 0,
      'over quota': 0,
      unavailable: 0,
    } satisfies Record<Refusal, number>,
  }

  function refuse(announcement: OfferedPayload, reason: Refusal): void {
    counts.refused[reason] += 1
    // It may be available later, there may be space, or the endpoint may have left its commitment out, or listed an older one.
    if (reason !== 'not what was committed') events.forget(announcement)
    const { round, kind, peerId } = announcement
    logger.info('a payload is not kept', { round, kind, peerId, reason })
  }

  async function take(announcement: OfferedPayload, commitment: Committed): Promise<void> {
    const { kind, round, contentId, size } = announcement
    const owner = { peerKey: commitment.peerKey, kind }
    if (!bundles.has(contentId) && !bundles.wouldKeep(size, round, owner)) return refuse(announcement, 'over quota')
    if (!bundles.has(contentId) && !(await modules.fetch(announcement, commitment)))
      return signal.aborted ? undefined : refuse(announcement, 'unavailable')
    await opening.run('', () => openKept(announcement, commitment))
  }

  async function openKept(announcement: OfferedPayload, commitment: Committed): Promise<void> {
    const { kind, contentId } = announcement
    const bytes = await bundles.get(contentId)
    if (signal.aborted) return
    if (bytes === null) return refuse(announcement, 'over quota')
    const payload = await modules.open(announcement, commitment, bytes)
    if (payload === null) {
      await bundles.forget(contentId, { peerKey: commitment.peerKey, kind })
      return refuse(announcement, 'not what was committed')
    }
    if (!bundles.has(contentId)) return refuse(announcement, 'over quota')
    modules.onPayload(announcement, payload)
    counts.kept += 1
  }

  return {
    counts,
    refuse,
    start(announcement: OfferedPayload, commitment: Committed): void {
      const work = ofPeer
        .run(announcement.peerId, () => take(announcement, commitment))
        .catch(error => {
          if (disk.isFault(error)) events.again(announcement)
          else logger.warn('a payload could not be collected', { peerId: announcement.peerId, error })
        })
        .finally(() => underWay.delete(work))
      underWay.add(work)
    },
    /** Resolves when no fetch is running. */
    idle: () => Promise.allSettled(underWay),
  }
}
