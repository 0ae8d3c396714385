import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { z } from 'zod'
import { encodeCanonical } from '../canonical.ts'
import { contentId } from '../contentId.ts'
import { hash32, type PeerKey, type Root } from '../hashes.ts'
import type { Hex } from '../hex.ts'
import { abiWords, leafKeccak } from '../keccak.ts'
import { mapYielding } from '../threads/mapYielding.ts'
import { payloadCodec } from './payloadCodec.ts'
import { chainIdSchema, indexSchema, milliSchema, roundSchema, versionSchema } from './payloadFields.ts'
import { type PlacedTree, placedTree } from './placedTree.ts'

export const MAX_SHEET_PEERS = 1024
const MAX_COMPONENTS = 16
export const MAX_SCORE_SHEET_BYTES = 16 * 1024 * 1024

const leafScoreSchema = z.strictObject({
  index: indexSchema,
  /** Named thousandths, as the environment's specification names them; a penalty is below 0. */
  components: z
    .record(z.string().regex(/^[a-z][A-Za-z0-9]{0,31}$/), z.int().min(-1000).max(1000))
    .refine(components => Object.keys(components).length <= MAX_COMPONENTS, `at most ${MAX_COMPONENTS} components`),
  scoreMilli: milliSchema,
})

const peerScoreSchema = z
  .strictObject({
    peerKey: hash32<PeerKey>(),
    /** The vote: 0 to 1000, or {@link UNAVAILABLE}. */
    scoreMilli: z.union([milliSchema, z.literal(UNAVAILABLE)]),
    /** In order of index. */
    leaves: z.array(leafScoreSchema).max(4096).refine(ascend, 'expected leaves in order of index, each once'),
    /** Reason of an unavailable vote: the base that the peer's policy adapts, which the evaluator does not hold. */
    lacksBase: hash32<Hex>().optional(),
  })
  .refine(peer => peer.scoreMilli !== UNAVAILABLE || peer.leaves.length === 0, 'an unavailable peer has no scored leaf')
  .refine(peer => peer.scoreMilli === UNAVAILABLE || peer.lacksBase === undefined, 'a scored peer lacks no base')

const scoreSheetSchema = z.strictObject({
  v: versionSchema,
  chainId: chainIdSchema,
  round: roundSchema,
  evaluatorKey: hash32<PeerKey>(),
  /** In order of peer key. */
  peers: z
    .array(peerScoreSchema)
    .max(MAX_SHEET_PEERS)
    .refine(
      peers => peers.every((peer, i) => i === 0 || (peers[i - 1]?.peerKey ?? '') < peer.peerKey),
      'expected peers in order of key, each once',
    ),
})

/** The scores behind an evaluator's votes of a round. */
export type ScoreSheet = z.output<typeof scoreSheetSchema>
export type PeerScore = ScoreSheet['peers'][number]
export type LeafScore = PeerScore['leaves'][number]

const codec = payloadCodec(scoreSheetSchema, MAX_SCORE_SHEET_BYTES)
export const encodeScoreSheet = codec.encode
export const decodeScoreSheet = codec.decode

/**
 * The tree behind a vote: at the place of each scored leaf, among all that the peer committed, the hash of (chain, round, evaluator, peer, index,
 * score, sha-256 of the components), hashed twice; other places are empty. So a ballot has one score for each leaf. Its root is zero if no leaf
 * was scored.
 *
 * @param leafCount - leaves that the peer committed.
 */
export function scoreTree(scoreSheet: Omit<ScoreSheet, 'peers'>, peer: PeerScore, leafCount: number): PlacedTree {
  const { chainId, round, evaluatorKey } = scoreSheet
  const head = [chainId, round, evaluatorKey, peer.peerKey]
  const leaves = peer.leaves.map(({ index, components, scoreMilli }) => {
    return [index, leafKeccak(abiWords([...head, index, scoreMilli, componentsHash(components)]))] as const
  })
  return placedTree(new Map(leaves), leafCount)
}

/** sha-256 of the components behind a leaf's score. */
export function componentsHash(components: LeafScore['components']): Hex {
  return contentId(encodeCanonical(components))
}

/**
 * The arrays of a shard's ballot: one score and one root per peer.
 *
 * @param shard - its peers' commitments, by ordinal; peers that the score sheet lacks are `unavailable`.
 */
export async function votesOf(
  scoreSheet: ScoreSheet,
  shard: readonly { peerKey: PeerKey; count: number }[],
): Promise<{ scoresMilli: number[]; componentRoots: Root[] }> {
  const scored = new Map(scoreSheet.peers.map(peer => [peer.peerKey, peer]))
  const scoreOf = (peerKey: PeerKey) => scored.get(peerKey) ?? { peerKey, scoreMilli: UNAVAILABLE, leaves: [] }
  return {
    scoresMilli: shard.map(({ peerKey }) => scoreOf(peerKey).scoreMilli),
    componentRoots: await mapYielding(
      shard,
      ({ peerKey, count }) => scoreTree(scoreSheet, scoreOf(peerKey), count).root,
    ),
  }
}

function ascend(leaves: readonly { index: number }[]): boolean {
  return leaves.every((leaf, i) => i === 0 || (leaves[i - 1]?.index ?? -1) < leaf.index)
}
