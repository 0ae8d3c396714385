import { encodeAbiParameters, type Hex, keccak256, stringToBytes } from 'viem'
import type { AccountKey, PeerKey, Salt } from '#core/hashes.ts'

/** A seat's place in an appeal. */
export type AppealPlace = { round: number; peerKey: PeerKey; level: number; position: number; seatKey: PeerKey }

const parameters = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'uint64' },
  { type: 'bytes32' },
  { type: 'uint8' },
  { type: 'uint32' },
  { type: 'bytes32' },
  { type: 'uint16' },
  { type: 'bytes32' },
] as const

/** The commitment for `Challenges.commitVerdict`; see there. */
export function appealCommitment(
  { chainId, challenges }: { chainId: number; challenges: Hex },
  { round, peerKey, level, position, seatKey }: AppealPlace,
  scoreMilli: number,
  salt: Salt,
): Hex {
  const place = [BigInt(round), peerKey, level, position, seatKey] as const
  return keccak256(encodeAbiParameters(parameters, [BigInt(chainId), challenges, ...place, scoreMilli, salt]))
}

const saltParameters = [{ type: 'bytes32' }, { type: 'bytes32' }, ...parameters.slice(0, 7)] as const

/** The salt of a seat's verdict, derived from its account's key, so that nothing has to be stored for the reveal. */
export function appealSalt(
  accountKey: AccountKey,
  { chainId, challenges }: { chainId: number; challenges: Hex },
  { round, peerKey, level, position, seatKey }: AppealPlace,
): Hex {
  const purpose = keccak256(stringToBytes('waggle appeal salt'))
  const place = [BigInt(chainId), challenges, BigInt(round), peerKey, level, position, seatKey]
  return keccak256(encodeAbiParameters(saltParameters as readonly { type: string }[], [purpose, accountKey, ...place]))
}
