import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { ContentId, PeerKey, PolicyHash } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { PayloadOperations, Payloads } from '#core/payloads/payloads.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import { type Commitment, openCommitted } from '../fetch/fetchCommitted.ts'

/** A commitment that a payload has to match; `policyHash` where it names one. */
export type Committed = Commitment & { policyHash?: PolicyHash }

export type Commitments = {
  /**
   * Commitments of a kind in a round, at most a few seconds old.
   *
   * A canary has no commitment of its own: that of the peer's rollouts names its policy, and any content id is accepted.
   */
  read(round: number, kind: AnnouncementKind): Promise<readonly Committed[]>
  /** Whether nothing more of a kind can be committed for a round. */
  isFinal(round: number, kind: AnnouncementKind): boolean
}

/** A read is not repeated before. */
export const FRESH_MS = 5_000

const ROUNDS_REMEMBERED = 64
/** Commitments remembered, of all rounds: about 800 bytes each. */
const MOST_REMEMBERED = 200_000

/** Last round, counted from the payload's own, in which the chain takes its commitment. */
const committedUntil: Record<AnnouncementKind, number> = { rollouts: 0, canary: 0, scores: 2 }

/** Rounds after which no reorganisation is expected to change commitments. */
const SETTLED_AFTER = 2

type Reads = Pick<ChainReads, 'readRolloutCommitments' | 'readRevealedVotes'>
type Modules = { chain: Reads; clock: Clock; currentRound: () => number }
type Entry = {
  value: Promise<readonly Committed[]>
  /** Commitments in it; 0 until it is read. */
  count: number
  readAtMs: number
  isPending: boolean
  isFinal: boolean
  /** Not read again. Never an empty list, which may be a fault of the endpoint. */
  settled: boolean
}

/** The chain's commitments; concurrent callers share a read. */
export function createCommitments({ chain, clock, currentRound }: Modules): Commitments {
  const known = new Map<string, Entry>()

  const readers: Record<Exclude<AnnouncementKind, 'canary'>, (round: number) => Promise<readonly Committed[]>> = {
    rollouts: chain.readRolloutCommitments,
    scores: async round =>
      (await chain.readRevealedVotes(round)).map(({ evaluatorKey, contentId }) => ({
        ...{ peerKey: evaluatorKey, contentId, root: ZERO_HASH, count: 0 },
      })),
  }

  /** Drops the oldest reads, never the last two. */
  function forget(): void {
    let left = [...known.values()].reduce((sum, { count }) => sum + count, 0)
    for (const [key, { count }] of known) {
      if (known.size <= 2 || (known.size <= ROUNDS_REMEMBERED && left <= MOST_REMEMBERED)) return
      known.delete(key)
      left -= count
    }
  }

  const isFinal = (round: number, kind: AnnouncementKind) => currentRound() > round + committedUntil[kind]

  return {
    isFinal,
    read(round, kind) {
      const source = kind === 'canary' ? 'rollouts' : kind
      const key = `${source} ${round}`
      const entry = known.get(key)
      const isNew = entry && (entry.isPending || clock.nowMs() - entry.readAtMs < FRESH_MS)
      const isFresh = isNew && entry.isFinal === isFinal(round, source)
      if (entry && (entry.settled || isFresh)) return entry.value
      const isOld = currentRound() > round + committedUntil[source] + SETTLED_AFTER
      const value = readers[source](round)
      known.delete(key)
      const begun = { readAtMs: clock.nowMs(), isFinal: isFinal(round, source) }
      const made: Entry = { value, count: 0, ...begun, isPending: true, settled: false }
      known.set(key, made)
      value.then(
        ({ length }) => {
          made.isPending = false
          made.count = length
          made.settled = isOld && length > 0
          forget()
        },
        () => known.delete(key),
      )
      return value
    },
  }
}

const peersOf = new WeakMap<readonly Committed[], Map<PeerKey, Committed[]>>()

/** A peer's part of a list, indexed once: in a large swarm every peer is searched in it. */
export function committedBy(committed: readonly Committed[], peerKey: PeerKey): readonly Committed[] {
  const byPeer = peersOf.get(committed) ?? Map.groupBy(committed, one => one.peerKey)
  peersOf.set(committed, byPeer)
  return byPeer.get(peerKey) ?? []
}

/** The commitment that a peer's payload of this content id is bound to. */
export function commitmentTo(
  committed: readonly Committed[],
  kind: AnnouncementKind,
  payload: { peerKey: PeerKey; contentId: ContentId; policyHash?: PolicyHash },
): Committed | undefined {
  return committedBy(committed, payload.peerKey).find(one =>
    kind === 'canary' ? one.policyHash === payload.policyHash : one.contentId === payload.contentId,
  )
}

type Place = { chainId: number; round: number }

/** The bundle in the bytes, if its round and peer are those of the commitment and it matches the commitment. */
export async function openAnnounced(
  payloads: PayloadOperations,
  kind: AnnouncementKind,
  bytes: Uint8Array,
  place: Place,
  commitment: Committed,
): Promise<Payloads[AnnouncementKind] | null> {
  if (kind === 'rollouts') {
    const opened = await openCommitted(payloads, bytes, place, commitment)
    return typeof opened === 'string' ? null : opened.payload
  }
  const payload = (await payloads.open(kind, bytes))?.payload
  if (payload === undefined || payload.chainId !== place.chainId || payload.round !== place.round) return null
  const author = 'evaluatorKey' in payload ? payload.evaluatorKey : payload.peerKey
  if (author !== commitment.peerKey) return null
  return 'policyHash' in payload && payload.policyHash !== commitment.policyHash ? null : payload
}
