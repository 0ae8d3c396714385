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

type PublishedBody = { kind: AnnouncementKind; round: number; root?: Root; count?: number; policyHash?: PolicyHash }

/** A body that is committed to, and is served to nobody until its round has ended. */
export type SealedBody = Required<PublishedBody> & { contentId: ContentId; size: number }

/** Own bodies that are kept and not served yet; they outlive a restart. */
export type SealedBodies = {
  has(contentId: ContentId): boolean
  add(body: SealedBody): void
  /** Those of rounds before this one, the oldest first: from now on they are served. */
  open(round: number): SealedBody[]
  /** Forgets what was opened, once it is announced: what is not forgotten is opened again after a restart. */
  forgetOpened(): void
}

/** What publishing uses of a peer. */
type PublishModules = {
  bundles: Pick<Bundles, 'put'>
  network: Pick<Network, 'publish'>
  sealed: SealedBodies
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

/** Keeps a body for whoever asks and tells the swarm of it. @returns its content id. */
export async function publishBody(
  node: Pick<PublishModules, 'bundles' | 'network'>,
  bytes: Uint8Array,
  body: PublishedBody,
): Promise<ContentId> {
  const { kind, round, root = ZERO_HASH, count = 0, policyHash = ZERO_HASH } = body
  const contentId = await node.bundles.put(bytes, round)
  await node.network.publish({ kind, round, root, count, policyHash, contentId, size: bytes.byteLength })
  return contentId
}

/**
 * Keeps a body, and serves and announces it once its round has ended. While commitments are open, an answer that others can read is
 * an answer that they can commit.
 *
 * @param begun - the time of the body's round, as it was told at `atMs` of the node's clock.
 * @returns its content id.
 */
export async function sealBody(
  node: PublishModules,
  bytes: Uint8Array,
  body: Required<PublishedBody>,
  begun: { time: RoundTime; atMs: number },
): Promise<ContentId> {
  const { bundles, sealed, clock, signal, logger } = node
  const contentId = await contentIdYielding(bytes)
  sealed.add({ ...body, contentId, size: bytes.byteLength })
  await bundles.put(bytes, body.round)
  const leftMs = (begun.time.endsAtSec - begun.time.nowSec) * 1000 - (clock.nowMs() - begun.atMs)
  // The end of a manual round is not known: the next round's start publishes its bodies.
  if (leftMs < MAX_TIMER_MS)
    void clock
      .sleep(Math.max(0, leftMs), signal)
      .then(() => publishSealed(node, body.round + 1))
      .catch(error => {
        if (!signal.aborted) logger.warn('bodies were not published at the end of their round', { error })
      })
  return contentId
}

/** Serves and announces the sealed bodies of rounds before this one. */
export async function publishSealed(
  { sealed, network }: Pick<PublishModules, 'sealed' | 'network'>,
  round: number,
): Promise<void> {
  const due = sealed.open(round)
  for (const body of due) await network.publish(body)
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

export function createSealedBodies(journal: Pick<Journal, 'getState' | 'setState'>): SealedBodies {
  const read = sealedSchema.safeParse(journal.getState(KEY) ?? [])
  // A list that does not parse was written by other software; its bodies are served.
  let sealed: SealedBody[] = read.success ? read.data : []
  const keep = (bodies: SealedBody[]) => {
    journal.setState(KEY, bodies)
    sealed = bodies
  }
  return {
    has: contentId => sealed.some(body => body.contentId === contentId),
    // A round that is taken up again after a restart has the same body.
    add: body => keep([...sealed.filter(({ contentId }) => contentId !== body.contentId), body]),
    open(round) {
      const due = sealed.filter(body => body.round < round)
      sealed = sealed.filter(body => body.round >= round)
      return due.sort((a, b) => a.round - b.round)
    },
    forgetOpened: () => keep(sealed),
  }
}
