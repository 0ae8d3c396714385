import { fromHex, type Hex } from '#core/hex.ts'
import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import type { EventReader } from './roundEvents.ts'

/** What a peer proposed for a round, as the chain has it: no check of the bytes was made but of their number. */
export type TaskProposal = { peerKey: Hex; secret: Hex; count: number; bytes: Uint8Array }

/** The proposals for a round, in the order of the chain. They are made in the round before. */
export async function readProposals(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<TaskProposal[]> {
  const logs = await events.inRounds({ first: round - 1, last: round - 1 }, range =>
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

/** Peers that committed to a secret for a round, in that before the last one before it. */
export async function readSecretKeepers(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<Hex[]> {
  const logs = await events.inRounds({ first: round - 2, last: round - 2 }, range =>
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
  peerKey: Hex,
  round: number,
): Promise<boolean> {
  const args = [BigInt(round), peerKey] as const
  const [committed] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...rolloutCommitments, functionName: 'secretOf', args }),
  )
  return committed
}
