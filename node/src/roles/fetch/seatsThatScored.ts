import { SHARD_PEERS, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'

/** Seats of its committee that gave a peer a score: they had its rollouts and its policy. */
export function seatsThatScored(
  votes: readonly RevealedVotes[],
  { ordinal }: Pick<RolloutCommitment, 'ordinal'>,
): PeerKey[] {
  const had = ({ shard, scoresMilli }: RevealedVotes) =>
    shard === Math.floor(ordinal / SHARD_PEERS) && (scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE) !== UNAVAILABLE
  return votes.filter(had).map(({ evaluatorKey }) => evaluatorKey)
}
