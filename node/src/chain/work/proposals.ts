import { createHmac } from 'node:crypto'
import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { AccountKey, PeerKey } from '#core/hashes.ts'
import { fromHex, type Hex, toHex, ZERO_HASH } from '#core/hex.ts'
import { abiWords, keccak } from '#core/keccak.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

/** A proposer's tasks for the round that comes next: `bytes` as `encodeProposal` makes them. */
export type TasksToPropose = {
  round: number
  peerKey: PeerKey
  count: number
  bytes: Uint8Array
  /** Whether it does not propose for the round after that. */
  isLast: boolean
}

/**
 * The secret of a proposer for a round, derived from the account's key: nobody knows it until it is shown with the tasks, it differs for every
 * round, and it is never lost with a journal.
 */
export function proposalSecret(
  accountKey: AccountKey,
  { chainId, rolloutCommitments }: Contracts,
  { round, peerKey }: { round: number; peerKey: PeerKey },
): Hex {
  const text = `waggle proposal secret\n${chainId}\n${rolloutCommitments.address.toLowerCase()}\n${round}\n${peerKey}`
  return `0x${createHmac('sha256', fromHex(accountKey)).update(text).digest('hex')}`
}

/** Proposes tasks in the round before theirs, shows the round's secret, and commits to the next one's, unless they are the last. */
export function propose(contracts: Contracts, accountKey: AccountKey, tasks: TasksToPropose): OutboxIntent {
  const { round, peerKey, count, bytes, isLast } = tasks
  const { address, abi } = contracts.rolloutCommitments
  const secret = proposalSecret(accountKey, contracts, { round, peerKey })
  const next = isLast ? ZERO_HASH : secretHash(proposalSecret(accountKey, contracts, { round: round + 1, peerKey }))
  const args = [BigInt(round), peerKey, secret, count, toHex(bytes), next] as const
  return {
    // One proposal a round: the chain refuses a second.
    key: `propose:${round}:${peerKey}`,
    to: address,
    data: encodeFunctionData({ abi, functionName: 'propose', args }),
    fromRound: round + phase.proposing,
    throughRound: round + phase.proposing,
  }
}

/** Commits to a proposer's secret, two rounds ahead: before its first proposal, and after a round without one. */
export function commitSecret(
  contracts: Contracts,
  accountKey: AccountKey,
  { round, peerKey }: { round: number; peerKey: PeerKey },
): OutboxIntent {
  const { address, abi } = contracts.rolloutCommitments
  const args = [BigInt(round), peerKey, secretHash(proposalSecret(accountKey, contracts, { round, peerKey }))] as const
  return {
    key: `commit-secret:${round}:${peerKey}`,
    to: address,
    data: encodeFunctionData({ abi, functionName: 'commitSecret', args }),
    fromRound: round + phase.promising,
    throughRound: round + phase.promising,
  }
}

function secretHash(secret: Hex): Hex {
  return keccak(abiWords([secret]))
}

/** A peer's proposal for a round, from the chain: only the number of bytes is checked. */
export type TaskProposal = { peerKey: PeerKey; secret: Hex; count: number; bytes: Uint8Array }

/** The proposals for a round, in the order of the chain. They are made in the round before. */
export async function readProposals(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<TaskProposal[]> {
  const logs = await events.inRounds({ first: round + phase.proposing, last: round + phase.proposing }, range =>
    rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'TasksProposed',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    }),
  )
  return logs.map(({ args: { peerKey, secret, count, tasks } }) => ({ peerKey, secret, count, bytes: fromHex(tasks) }))
}

/** Peers that committed to a secret for a round, two rounds before it. */
export async function readSecretKeepers(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<Hex[]> {
  const logs = await events.inRounds({ first: round + phase.promising, last: round + phase.promising }, range =>
    rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'SecretCommitted',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    }),
  )
  return [...new Set(logs.map(({ args }) => args.peerKey))]
}

/** Whether a peer has committed to a secret for a round, without which it cannot propose for it. */
export async function readHasSecret(
  { rpc, rpcUrl }: ChainClient,
  { rolloutCommitments }: Contracts,
  peerKey: PeerKey,
  round: number,
): Promise<boolean> {
  const args = [BigInt(round), peerKey] as const
  const [committed] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...rolloutCommitments, functionName: 'secretOf', args }),
  )
  return committed
}
