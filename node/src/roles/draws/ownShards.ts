import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { Beacon } from '#core/hashes.ts'
import type { PeerNode } from '../peerNode.ts'
import { drawCommittee, shardsOf } from './drawCommittee.ts'

/** A shard that this evaluator was drawn for. */
export type OwnShard = { shard: number; position: number; peers: RolloutCommitment[] }

/** The shards of a round on whose committees this evaluator sits. */
export async function ownShards(
  { chain, chainId, identity }: PeerNode,
  round: number,
  beacon: Beacon,
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
