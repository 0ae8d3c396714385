import { createHmac } from 'node:crypto'
import { encodeAbiParameters, keccak256 } from 'viem'
import type { AccountKey, PeerKey, Salt } from '#core/hashes.ts'
import { fromHex, type Hex } from '#core/hex.ts'

/** The dispute and seat of a verdict. */
export type VerdictPlace = { chainId: number; market: Hex; gameId: bigint; seatKey: PeerKey }

const parameters = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'bytes32' },
  { type: 'uint8' },
  { type: 'bytes32' },
] as const

/** A seat's commitment to its verdict, see `IPredictionMarket.commitVerdict`. */
export function verdictCommitment(place: VerdictPlace, choice: number, salt: Salt): Hex {
  const { chainId, market, gameId, seatKey } = place
  return keccak256(encodeAbiParameters(parameters, [BigInt(chainId), market, gameId, seatKey, choice, salt]))
}

/** The salt of a verdict, derived from the account's key: secret until it is revealed, and never lost. */
export function verdictSalt(accountKey: AccountKey, { chainId, market, gameId, seatKey }: VerdictPlace): Salt {
  const text = `waggle verdict salt\n${chainId}\n${market.toLowerCase()}\n${gameId}\n${seatKey}`
  return `0x${createHmac('sha256', fromHex(accountKey)).update(text).digest('hex')}` as const
}
