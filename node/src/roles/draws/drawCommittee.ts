import { COMMITTEE_SEATS, SHARD_PEERS } from '@waggle/deployments/protocol'
import type { Beacon, PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { drawIndices } from './drawIndices.ts'
import { roundSeed } from './roundSeed.ts'

/**
 * The evaluators that score a shard of a round, by position, as `RewardVotes.committeeOf` has them.
 *
 * @param beacon - of the round itself.
 * @param seats - evaluators by seat, as they sat in the round.
 */
export function drawCommittee(
  chainId: number,
  round: number,
  beacon: Beacon,
  shard: number,
  seats: readonly PeerKey[],
): PeerKey[] {
  const subject: Hex = `0x${shard.toString(16).padStart(64, '0')}`
  const drawn = drawIndices(seats.length, COMMITTEE_SEATS, roundSeed('committee', chainId, round, beacon, subject))
  return drawn.map(seat => seats[seat] as PeerKey)
}

/** The peers of a round by shard: 32 each, in the order in which they first committed. */
export function shardsOf<T extends { ordinal: number }>(committed: readonly T[]): T[][] {
  const inOrder = [...committed].sort((a, b) => a.ordinal - b.ordinal)
  return Array.from({ length: Math.ceil(inOrder.length / SHARD_PEERS) }, (_, shard) =>
    inOrder.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS),
  )
}

/**
 * Indices of a peer's leaves that are scored, as `RolloutCommitments.sampledLeaves` has them: drawn from those owed, so that
 * a missing leaf is drawn like any other.
 *
 * @param beacon - of the round itself: nobody knew it while leaves could still be chosen.
 */
export function sampledLeaves(
  chainId: number,
  round: number,
  beacon: Beacon,
  peerKey: PeerKey,
  { owedLeaves, sampledLeaves: count }: Pick<EnvironmentSpec, 'owedLeaves' | 'sampledLeaves'>,
): number[] {
  return drawIndices(owedLeaves, count, roundSeed('sample', chainId, round, beacon, peerKey))
}
