import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { encodeCanonical } from '#core/canonical.ts'
import type { ContentId, PeerKey } from '#core/hashes.ts'
import {
  MAX_SCORE_SHEET_BYTES,
  MAX_SHEET_PEERS,
  type PeerScore,
  type ScoreSheet,
  votesOf,
} from '#core/payloads/payloads.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import { type OwnShard, ownShards } from '../draws/ownShards.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { publishPayload } from '../payloads/publishPayload.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** This evaluator's scores of a round. */
type KeptScores = {
  /** Scores of all its shards: these may be more peers than fit into one payload. */
  scoreSheet: ScoreSheet
  /** The payloads that were signed, each of whole shards. A ballot names the one that its shard is in. */
  parts: { contentId: ContentId; bytes: Uint8Array; peerKeys: ReadonlySet<PeerKey> }[]
  /** Leaves of each peer when it was scored: a ballot of another number is another one than the committed one. */
  counts: Readonly<Record<PeerKey, number>>
}

type SealedBallot = Awaited<ReturnType<typeof ballotsOf>>[number]

/** Most bytes of a payload's header. */
const HEADER_BYTES = 1024

type ShardPeers = { peers: readonly Pick<RolloutCommitment, 'peerKey' | 'count'>[] }

/** Signs the scores, in as few payloads as the format allows, and stores them. */
export async function keepScores(
  node: Pick<PeerNode, 'payloads' | 'bundles' | 'journal'>,
  scoreSheet: ScoreSheet,
  shards: readonly ShardPeers[],
): Promise<KeptScores> {
  const parts: KeptScores['parts'] = []
  for (const peers of await partsOf(scoreSheet, shards)) {
    const { bytes } = await node.payloads.seal('scores', { ...scoreSheet, peers })
    const contentId = await node.bundles.put(bytes, scoreSheet.round)
    parts.push({ contentId, bytes, peerKeys: keysOf(peers) })
  }
  const counts = Object.fromEntries(shards.flatMap(({ peers }) => peers.map(({ peerKey, count }) => [peerKey, count])))
  node.journal.set(scoreSheet.round, 'leaf counts', counts)
  node.journal.set(
    scoreSheet.round,
    'scores',
    parts.map(({ contentId }) => contentId),
  )
  return { scoreSheet, parts, counts }
}

/** This evaluator's scores of a round; null if there are none, or a part of them is lost. */
export async function keptScores(
  node: Pick<PeerNode, 'payloads' | 'bundles' | 'journal'>,
  round: number,
): Promise<KeptScores | null> {
  const { payloads, bundles, journal } = node
  const parts: KeptScores['parts'] = []
  const found: ScoreSheet[] = []
  // Releases before this one kept a single id.
  for (const contentId of [journal.get(round, 'scores') ?? []].flat() as ContentId[]) {
    const bytes = await bundles.get(contentId)
    const opened = bytes && (await payloads.open('scores', bytes))
    if (bytes === null || opened === null) return null
    parts.push({ contentId, bytes, peerKeys: keysOf(opened.payload.peers) })
    found.push(opened.payload)
  }
  const [first] = found
  if (first === undefined) return null
  const counts = (journal.get(round, 'leaf counts') ?? {}) as KeptScores['counts']
  return { scoreSheet: { ...first, peers: inOrder(found.flatMap(({ peers }) => peers)) }, parts, counts }
}

/** The scores as ballots, one for each of the shards. */
export async function ballotsOf(
  { scoreSheet, parts, counts }: KeptScores,
  shards: readonly (Pick<OwnShard, 'shard' | 'position'> & ShardPeers)[],
) {
  return mapYielding(shards, async ({ shard, position, peers }) => {
    // A shard of peers of the own account is in none.
    const part = parts.find(one => peers.some(({ peerKey }) => one.peerKeys.has(peerKey))) ?? parts[0]
    const contentId = (part as KeptScores['parts'][number]).contentId
    const scored = peers.map(({ peerKey, count }) => ({ peerKey, count: counts[peerKey] ?? count }))
    return { round: BigInt(scoreSheet.round), shard, position, contentId, ...(await votesOf(scoreSheet, scored)) }
  })
}

/** Commits to the votes on shards. These are in the journal before, and their reveal in the outbox: the scores may be lost until then. */
export async function sealBallots(node: PeerNode, kept: KeptScores, shards: readonly OwnShard[]): Promise<void> {
  const { chain, journal, logger } = node
  const ballots = await ballotsOf(kept, shards)
  journal.set(
    kept.scoreSheet.round,
    'ballots',
    ballots.map(({ round: _, ...ballot }) => ballot),
  )
  // Not awaited: it is sent in the next round, in which its outcome is reported.
  for (const ballot of ballots) void chain.revealVotes(ballot)
  const outcomes = await Promise.all(ballots.map(chain.commitVotes))
  for (const [at, outcome] of outcomes.entries()) {
    const { round, shard, scoresMilli: scores } = ballots[at] as (typeof ballots)[number]
    reportOutcome(logger, 'votes committed', outcome, { round: Number(round), shard, scores })
  }
}

/** Publishes the scores behind the votes on a round, and reveals these. */
export async function revealBallots(node: PeerNode, round: number): Promise<void> {
  const { chain, journal, logger } = node
  const kept = await keptScores(node, round)
  const sealed = sealedBallots(node, round)
  if (kept === null && journal.get(round, 'scores') !== undefined)
    logger.warn('own score sheets are lost: no score of theirs can be opened', { round, votes: sealed?.length ?? 0 })
  const beacon = sealed === null && kept !== null ? await beaconOf(node, round) : null
  const ballots = sealed ?? (kept && beacon && (await ballotsOf(kept, await ownShards(node, round, beacon))))
  if (ballots === null) return
  for (const { bytes, peerKeys } of kept?.parts ?? [])
    await publishPayload(node, bytes, { kind: 'scores', round, count: peerKeys.size })
  const outcomes = await Promise.all(ballots.map(chain.revealVotes))
  for (const [at, outcome] of outcomes.entries())
    reportOutcome(logger, 'votes revealed', outcome, { round, shard: ballots[at]?.shard ?? 0 })
}

/** The ballots that were sealed; null if there are none, or a release before 0.17.0 sealed them. */
function sealedBallots({ journal }: Pick<PeerNode, 'journal'>, round: number): SealedBallot[] | null {
  const kept = journal.get(round, 'ballots') as Omit<SealedBallot, 'round'>[] | undefined
  return kept?.map(ballot => ({ ...ballot, round: BigInt(round) })) ?? null
}

/** Peers by payload: those of as many shards, in turn, as one takes. */
export async function partsOf(
  { peers }: ScoreSheet,
  shards: readonly ShardPeers[],
  limits = { peers: MAX_SHEET_PEERS, bytes: MAX_SCORE_SHEET_BYTES },
): Promise<PeerScore[][]> {
  const scored = new Map(peers.map(peer => [peer.peerKey, peer]))
  const parts: PeerScore[][] = []
  let bytesLeft = 0
  await mapYielding(shards, shard => {
    const found = shard.peers.flatMap(({ peerKey }) => scored.get(peerKey) ?? [])
    const bytes = encodeCanonical(found).byteLength
    const part = parts.at(-1)
    if (part === undefined || bytes > bytesLeft || part.length + found.length > limits.peers) {
      parts.push(found)
      bytesLeft = limits.bytes - HEADER_BYTES
    } else part.push(...found)
    bytesLeft -= bytes
  })
  return parts.map(inOrder)
}

const inOrder = (peers: readonly PeerScore[]) => [...peers].sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
const keysOf = (peers: readonly PeerScore[]) => new Set(peers.map(({ peerKey }) => peerKey))
