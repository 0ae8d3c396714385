import { createHmac } from 'node:crypto'
import { phase } from '@waggle/deployments/protocol'
import { encodeAbiParameters, encodeFunctionData, keccak256, stringToBytes } from 'viem'
import type { AccountKey, ContentId, PeerKey, Root, Salt } from '#core/hashes.ts'
import { fromHex, type Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'

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
  /** Content id of the score sheet. */
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

/** An evaluator's commitment to its votes before the reveal: hidden votes cannot be copied. */
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

/** Commits votes on a shard, within the round after its own. Once committed, a ballot cannot be changed. */
export function commitVotes({ chainId, rewardVotes }: Contracts, accountKey: AccountKey, ballot: Ballot): OutboxIntent {
  const place = { chainId, rewardVotes: rewardVotes.address }
  const commitment = voteCommitment(place, ballot, voteSalt(accountKey, place, ballot))
  const { round, shard, position, evaluatorKey } = ballot
  const args = [round, shard, position, evaluatorKey, commitment] as const
  return {
    // One ballot a round and shard: other votes under the same key would be refused by the chain.
    key: `commit-votes:${round}:${shard}:${evaluatorKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'commitVotes', args }),
    fromRound: Number(round) + phase.voting,
    throughRound: Number(round) + phase.voting,
  }
}

/** Reveals the votes that were committed on a shard, within the second round after its own. */
export function revealVotes({ chainId, rewardVotes }: Contracts, accountKey: AccountKey, ballot: Ballot): OutboxIntent {
  const salt = voteSalt(accountKey, { chainId, rewardVotes: rewardVotes.address }, ballot)
  const { round, shard, evaluatorKey } = ballot
  return {
    key: `reveal-votes:${round}:${shard}:${evaluatorKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'revealVotes', args: [ballot, salt] }),
    fromRound: Number(round) + phase.revealing,
    throughRound: Number(round) + phase.revealing,
  }
}

export type ShardToSettle = { round: number; shard: number; peerKeys: readonly PeerKey[] }

/** Settles peers of a shard, within the third round after. A peer settled before is skipped by the chain. */
export function settle({ rewardVotes }: Contracts, { round, shard, peerKeys }: ShardToSettle): OutboxIntent {
  const args = [BigInt(round), shard, peerKeys] as const
  return {
    key: `settle:${round}:${shard}:${keccak256(stringToBytes(peerKeys.join()))}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'settle', args }),
    fromRound: round + phase.settling,
    throughRound: round + phase.settling,
  }
}
