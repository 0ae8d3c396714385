import { createHmac } from 'node:crypto'
import { encodeFunctionData } from 'viem'
import { fromHex, type Hex, toHex } from '#core/hex.ts'
import { abiWords, keccak } from '#core/keccak.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'

/** A proposer's tasks for the round that comes next: `bytes` as `encodeProposal` makes them. */
export type TasksToPropose = { round: number; peerKey: Hex; count: number; bytes: Uint8Array }

/**
 * The secret of a proposer for a round, derived from the account's key: nobody knows it until it is shown with the tasks, it is another
 * for every round, and it is never lost with a journal.
 */
export function proposalSecret(
  accountKey: Hex,
  { chainId, rolloutCommitments }: Contracts,
  { round, peerKey }: { round: number; peerKey: Hex },
): Hex {
  const text = `waggle proposal secret\n${chainId}\n${rolloutCommitments.address.toLowerCase()}\n${round}\n${peerKey}`
  return `0x${createHmac('sha256', fromHex(accountKey)).update(text).digest('hex')}`
}

/** Proposes tasks in the round before theirs, shows the round's secret, and commits to the next one's. */
export function propose(contracts: Contracts, accountKey: Hex, tasks: TasksToPropose): OutboxIntent {
  const { round, peerKey, count, bytes } = tasks
  const { address, abi } = contracts.rolloutCommitments
  const secret = proposalSecret(accountKey, contracts, { round, peerKey })
  const next = proposalSecret(accountKey, contracts, { round: round + 1, peerKey })
  const args = [BigInt(round), peerKey, secret, count, toHex(bytes), secretHash(next)] as const
  return {
    // One proposal a round: the chain refuses a second.
    key: `propose:${round}:${peerKey}`,
    to: address,
    data: encodeFunctionData({ abi, functionName: 'propose', args }),
    fromRound: round - 1,
    throughRound: round - 1,
  }
}

/** Commits to a proposer's secret, two rounds ahead: before its first proposal, and after a round without one. */
export function commitSecret(
  contracts: Contracts,
  accountKey: Hex,
  { round, peerKey }: { round: number; peerKey: Hex },
): OutboxIntent {
  const { address, abi } = contracts.rolloutCommitments
  const args = [BigInt(round), peerKey, secretHash(proposalSecret(accountKey, contracts, { round, peerKey }))] as const
  return {
    key: `commit-secret:${round}:${peerKey}`,
    to: address,
    data: encodeFunctionData({ abi, functionName: 'commitSecret', args }),
    fromRound: round - 2,
    throughRound: round - 2,
  }
}

function secretHash(secret: Hex): Hex {
  return keccak(abiWords([secret]))
}
