import { encodeAbiParameters, keccak256 } from 'viem'
import type { Beacon, PeerKey, Seed } from '#core/hashes.ts'

/** What a seed is for; one purpose never shares random numbers with another. */
export type SeedPurpose =
  | 'draw'
  | 'tasks'
  | 'quotes'
  | 'rollout'
  | 'propose'
  | 'sample'
  | 'committee'
  | 'opening'
  | 'proof'
  | 'settle'
  | 'appeal'

const parameters = [
  { type: 'string' },
  { type: 'uint256' },
  { type: 'uint64' },
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'uint32' },
] as const

/**
 * Seed of one peer's randomness in one round. It follows from public facts alone, so that anyone can draw the same
 * numbers again, and from a beacon that nobody could foresee, so that none can be ground.
 *
 * @param beacon - of the round before for what a peer draws in a round, of the round itself for what is scored of it;
 *   zero where nothing depends on being unforeseen.
 * @param attempt - counts repeats within a round, such as proposals sampled again.
 */
export function roundSeed(
  purpose: SeedPurpose,
  chainId: number,
  round: number,
  beacon: Beacon,
  peerKey: PeerKey,
  attempt = 0,
): Seed {
  return keccak256(
    encodeAbiParameters(parameters, [`waggle ${purpose}`, BigInt(chainId), BigInt(round), beacon, peerKey, attempt]),
  )
}
