import type { Hex } from '#core/hex.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { drawIndices } from '../drawIndices.ts'
import { roundSeed } from '../roundSeed.ts'

/**
 * Indices of a peer's leaves that are scored, as `RolloutCommitments.sampledLeaves` has them: drawn from those owed, so that
 * a missing leaf is drawn like any other.
 *
 * @param beacon - of the round itself: nobody knew it while leaves could still be chosen.
 */
export function sampledLeaves(
  chainId: number,
  round: number,
  beacon: Hex,
  peerKey: Hex,
  { owedLeaves, sampledLeaves: count }: Pick<EnvironmentSpec, 'owedLeaves' | 'sampledLeaves'>,
): number[] {
  return drawIndices(owedLeaves, count, roundSeed('sample', chainId, round, beacon, peerKey))
}
