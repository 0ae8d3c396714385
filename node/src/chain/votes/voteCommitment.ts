import { createHmac } from 'node:crypto'
import { encodeAbiParameters, keccak256 } from 'viem'
import type { AccountKey, ContentId, PeerKey, Root, Salt } from '#core/hashes.ts'
import { fromHex, type Hex } from '#core/hex.ts'

/** One evaluator's votes on a shard, as `RewardVotes` takes them: a score and a root for each peer, by ordinal. */
export type Ballot = {
  round: bigint
  shard: number
  /** The evaluator's, on the shard's committee. */
  position: number
  evaluatorKey: PeerKey
  /** 0 to 1000, or 65535 for 'unavailable'. */
  scoresMilli: readonly number[]
  componentRoots: readonly Root[]
  /** Of the score sheet. */
  contentId: ContentId
}

/** Chain and contract: where a ballot is cast. */
export type VotingPlace = { chainId: number; rewardVotes: Hex }

const commitmentParameters = [
  { type: 'uint256' },
  { type: 'address' },
  {
    type: 'tuple',
    components: [
      { name: 'round', type: 'uint64' },
      { name: 'shard', type: 'uint32' },
      { name: 'position', type: 'uint8' },
      { name: 'evaluatorKey', type: 'bytes32' },
      { name: 'scoresMilli', type: 'uint16[]' },
      { name: 'componentRoots', type: 'bytes32[]' },
      { name: 'contentId', type: 'bytes32' },
    ],
  },
  { type: 'bytes32' },
] as const

/** What an evaluator commits to before it reveals: nobody can copy votes that nobody can read. */
export function voteCommitment({ chainId, rewardVotes }: VotingPlace, ballot: Ballot, salt: Salt): Hex {
  return keccak256(encodeAbiParameters(commitmentParameters, [BigInt(chainId), rewardVotes, ballot, salt]))
}

/**
 * The salt of a ballot, derived from the account's key: secret until it is revealed, different for every ballot, and never
 * lost with a journal.
 */
export function voteSalt(
  accountKey: AccountKey,
  { chainId, rewardVotes }: VotingPlace,
  { round, shard, evaluatorKey }: Pick<Ballot, 'round' | 'shard' | 'evaluatorKey'>,
): Hex {
  const text = `waggle vote salt\n${chainId}\n${rewardVotes.toLowerCase()}\n${round}\n${shard}\n${evaluatorKey}`
  return `0x${createHmac('sha256', fromHex(accountKey)).update(text).digest('hex')}`
}
