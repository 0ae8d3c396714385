import { encodeAbiParameters, keccak256 } from 'viem'
import type { Beacon, PeerKey, Seed } from '#core/hashes.ts'

/** Purpose of a seed; different purposes never share random numbers. */
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
  | 'jury'
  | 'judge'

const parameters = [
  { type: 'string' },
  { type: 'uint256' },
  { type: 'uint64' },
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'uint32' },
] as const

/**
 * Seed of a peer's randomness in a round. It depends on public facts alone, so that anyone can reproduce the numbers, and on an
 * unpredictable beacon, so that it cannot be ground.
 *
 * @param beacon - of the round before for what a peer draws in a round, of the round itself for what is scored of it;
 *   zero if unpredictability does not matter.
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
