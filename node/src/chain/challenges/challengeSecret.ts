import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'

/** A proposer that committed to a secret for a round and did not propose. */
export type WithheldSecret = { round: number; peerKey: PeerKey }

/** Shows it to the chain, while that knows the secret's hash: a hundredth of the proposer's stake is burnt. */
export function challengeSecret({ openings }: Contracts, { round, peerKey }: WithheldSecret): OutboxIntent {
  return {
    key: `challenge-secret:${round}:${peerKey}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'challengeSecret', args: [BigInt(round), peerKey] }),
    fromRound: round,
    throughRound: round + phase.paying,
  }
}
