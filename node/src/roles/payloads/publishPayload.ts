import { z } from 'zod'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { Clock } from '#core/clock.ts'
import { MAX_TIMER_MS } from '#core/clock.ts'
import { contentIdYielding } from '#core/contentId.ts'
import { type ContentId, hash32, type PolicyHash, type Root } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { Logger } from '#core/logger.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import type { Network } from '#p2p/network.ts'
import type { Bundles } from '#store/bundles.ts'
import type { Journal } from '#store/journal.ts'

type PublishedPayload = { kind: AnnouncementKind; round: number; root?: Root; count?: number; policyHash?: PolicyHash }

/** A committed payload that is not served until its round has ended. */
export type SealedPayload = Required<PublishedPayload> & { contentId: ContentId; size: number }

/** Own payloads that are stored and not served yet; they survive a restart. */
export type SealedPayloads = {
  has(contentId: ContentId): boolean
  add(payload: SealedPayload): void
  /** Payloads of rounds before this one, the oldest first: from now on they are served. */
  open(round: number): SealedPayload[]
  /** Drops published payloads, once they are announced: others are published again after a restart. */
  forgetOpened(): void
}

/** The modules that publishing needs. */
type PublishModules = {
  bundles: Pick<Bundles, 'put'>
  network: Pick<Network, 'publish'>
  sealed: SealedPayloads
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

/** Stores, serves and announces a payload. @returns its content id. */
export async function publishPayload(
  node: Pick<PublishModules, 'bundles' | 'network'>,
  bytes: Uint8Array,
  payload: PublishedPayload,
): Promise<ContentId> {
  const { kind, round, root = ZERO_HASH, count = 0, policyHash = ZERO_HASH } = payload
  const contentId = await node.bundles.put(bytes, round)
  await node.network.publish({ kind, round, root, count, policyHash, contentId, size: bytes.byteLength })
  return contentId
}

/**
 * Stores a payload, and serves and announces it once its round has ended. While commitments are open, others could commit any answer that they can
 * read.
 *
 * @param begun - the time of the payload's round, as read at `atMs` of the node's clock.
 * @returns its content id.
 */
export async function sealPayload(
  node: PublishModules,
  bytes: Uint8Array,
  payload: Required<PublishedPayload>,
  begun: { time: RoundTime; atMs: number },
): Promise<ContentId> {
  const { bundles, sealed, clock, signal, logger } = node
  const contentId = await contentIdYielding(bytes)
  sealed.add({ ...payload, contentId, size: bytes.byteLength })
  await bundles.put(bytes, payload.round)
  const leftMs = (begun.time.endsAtSec - begun.time.nowSec) * 1000 - (clock.nowMs() - begun.atMs)
  // The end of a manual round is not known: the next round's start publishes its payloads.
  if (leftMs < MAX_TIMER_MS)
    void clock
      .sleep(Math.max(0, leftMs), signal)
      .then(() => publishSealed(node, payload.round + 1))
      .catch(error => {
        if (!signal.aborted) logger.warn('payloads were not published at the end of their round', { error })
      })
  return contentId
}

/** Serves and announces the sealed payloads of rounds before this one. */
export async function publishSealed(
  { sealed, network }: Pick<PublishModules, 'sealed' | 'network'>,
  round: number,
): Promise<void> {
  const due = sealed.open(round)
  for (const payload of due) await network.publish(payload)
  if (due.length > 0) sealed.forgetOpened()
}

const sealedSchema = z.array(
  z.strictObject({
    kind: z.literal('rollouts'),
    round: z.int().min(0),
    root: hash32<Root>(),
    count: z.int().min(0),
    policyHash: hash32<PolicyHash>(),
    contentId: hash32<ContentId>(),
    size: z.int().min(1),
  }),
)

const KEY = 'sealed bodies'

export function createSealedPayloads(journal: Pick<Journal, 'getState' | 'setState'>): SealedPayloads {
  const read = sealedSchema.safeParse(journal.getState(KEY) ?? [])
  // An unreadable list was written by other software; its payloads are served.
  let sealed: SealedPayload[] = read.success ? read.data : []
  const keep = (payloads: SealedPayload[]) => {
    journal.setState(KEY, payloads)
    sealed = payloads
  }
  return {
    has: contentId => sealed.some(payload => payload.contentId === contentId),
    // A round that resumes after a restart has the same payload.
    add: payload => keep([...sealed.filter(({ contentId }) => contentId !== payload.contentId), payload]),
    open(round) {
      const due = sealed.filter(payload => payload.round < round)
      sealed = sealed.filter(payload => payload.round >= round)
      return due.sort((a, b) => a.round - b.round)
    },
    forgetOpened: () => keep(sealed),
  }
}
