import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { type ScoreSheet, votesOf } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { mapYielding } from '#core/mapYielding.ts'
import { drawCommittee, shardsOf } from '../drawCommittee.ts'
import type { PeerNode } from '../peerNode.ts'

/** A shard that this evaluator was drawn for. */
export type OwnShard = { shard: number; position: number; peers: RolloutCommitment[] }

/** The shards of a round on whose committees this evaluator sits. */
export async function ownShards(
  { chain, chainId, identity }: PeerNode,
  round: number,
  beacon: Hex,
): Promise<OwnShard[]> {
  const seats = await chain.readSeats(round)
  const shards = shardsOf(await chain.readRolloutCommitments(round))
  return shards
    .map((peers, shard) => {
      const committee = drawCommittee(chainId, round, beacon, shard, seats)
      return { shard, peers, position: committee.indexOf(identity.peerKey) }
    })
    .filter(({ position }) => position >= 0)
}

/** This evaluator's score sheet for a round; null if it made none. */
export async function keptSheet(node: PeerNode, round: number): Promise<ScoreSheet | null> {
  const contentId = node.journal.get(round, 'scores')
  const bytes = contentId === undefined ? null : await node.bundles.get(contentId as Hex)
  const opened = bytes && (await node.bodies.open('scores', bytes))
  return opened?.body ?? null
}

/** The score sheet as ballots, one for each of the shards. */
export async function ballotsOf({ journal }: PeerNode, scoreSheet: ScoreSheet, shards: readonly OwnShard[]) {
  const contentId = journal.get(scoreSheet.round, 'scores') as Hex
  return mapYielding(shards, async ({ shard, position, peers }) => {
    const peerKeys = peers.map(({ peerKey }) => peerKey)
    return { round: BigInt(scoreSheet.round), shard, position, contentId, ...(await votesOf(scoreSheet, peerKeys)) }
  })
}
