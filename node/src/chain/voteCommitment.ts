import { createHmac } from 'node:crypto'
import { encodeAbiParameters, keccak256 } from 'viem'
import { fromHex, type Hex } from '#core/hex.ts'

/** One evaluator's votes of one round, as the chain takes them: three arrays of one length, and the score sheet's id. */
export type Votes = {
  peerKeys: readonly Hex[]
  /** 0 to 1000, or 65535 for 'unavailable'. */
  scoresMilli: readonly number[]
  componentRoots: readonly Hex[]
  contentId: Hex
}

/** Chain, contract, round and evaluator: what binds a commitment to one ballot. */
export type Ballot = { chainId: number; rewardVotes: Hex; round: number; evaluatorKey: Hex }

const commitmentParameters = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'uint64' },
  { type: 'bytes32' },
  { type: 'bytes32[]' },
  { type: 'uint16[]' },
  { type: 'bytes32[]' },
  { type: 'bytes32' },
  { type: 'bytes32' },
] as const

/** What an evaluator commits to before it reveals: nobody can copy votes that nobody can read. */
export function voteCommitment({ chainId, rewardVotes, round, evaluatorKey }: Ballot, votes: Votes, salt: Hex): Hex {
  const { peerKeys, scoresMilli, componentRoots, contentId } = votes
  return keccak256(
    encodeAbiParameters(commitmentParameters, [
      BigInt(chainId),
      rewardVotes,
      BigInt(round),
      evaluatorKey,
      peerKeys,
      scoresMilli,
      componentRoots,
      contentId,
      salt,
    ]),
  )
}

/**
 * The salt of a ballot, derived from the account's key: secret until it is revealed, different for every ballot, and never
 * lost with a journal.
 */
export function voteSalt(accountKey: Hex, { chainId, rewardVotes, round, evaluatorKey }: Ballot): Hex {
  const text = `waggle vote salt\n${chainId}\n${rewardVotes.toLowerCase()}\n${round}\n${evaluatorKey}`
  return `0x${createHmac('sha256', fromHex(accountKey)).update(text).digest('hex')}`
}
