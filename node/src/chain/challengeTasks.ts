import { encodeFunctionData } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { LeafHeader } from '#core/leaf.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'

/** A task that stands in two places under its proposer's root, with the proofs that it does. */
export type RepeatedTask = {
  tasks: { root: Hex; count: number; contentId: Hex }
  first: LeafHeader
  firstProof: readonly Hex[]
  second: LeafHeader
  secondProof: readonly Hex[]
}

/** Shows it to the chain, while that knows the commitment: half of the proposer's stake is burnt. */
export function challengeTasks({ openings }: Contracts, found: RepeatedTask): OutboxIntent {
  const { round, peerKey } = found.first
  const fault = { round: BigInt(round), proposerKey: peerKey, ...found }
  return {
    key: `challenge-tasks:${round}:${peerKey}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'challengeTasks', args: [fault] }),
    fromRound: round,
    throughRound: round + 5,
  }
}
