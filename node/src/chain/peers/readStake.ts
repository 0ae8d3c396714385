import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** The duty of a stake. */
export type Duty = 'evaluator' | 'proposer'

/** The contract's numbers of duties. */
export const dutyNumber: Readonly<Record<Duty, number>> = { evaluator: 0, proposer: 1 }

/** A peer's stake, in wei and rounds. */
type PeerStake = {
  amountWei: bigint
  /** Amount of a full stake. */
  fullWei: bigint
  /** First round in which it can be withdrawn; 0 while no notice was given. */
  freeFromRound: number
}

export async function readStake(
  { rpc, rpcUrl }: ChainClient,
  { stakes }: Contracts,
  duty: Duty,
  peerKey: PeerKey,
): Promise<PeerStake> {
  const number = dutyNumber[duty]
  const [held, fullWei] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...stakes, functionName: 'stakeOf', args: [number, peerKey] }),
      rpc.readContract({ ...stakes, functionName: 'fullStakeOf', args: [number] }),
    ]),
  )
  return { amountWei: held.amountWei, fullWei, freeFromRound: Number(held.freeFromRound) }
}

/** First round whose seats and tasks need stakes. */
export async function readBootstrapRounds({ rpc, rpcUrl }: ChainClient, { stakes }: Contracts): Promise<number> {
  return Number(await callChain(rpcUrl, () => rpc.readContract({ ...stakes, functionName: 'bootstrapRounds' })))
}

/** Whether a peer may commit to a secret for a round, two rounds ahead, and then owes its tasks. */
export function readMayPropose(
  { rpc, rpcUrl }: ChainClient,
  { stakes }: Contracts,
  peerKey: PeerKey,
  round: number,
): Promise<boolean> {
  const args = [peerKey, BigInt(round)] as const
  return callChain(rpcUrl, () => rpc.readContract({ ...stakes, functionName: 'mayPropose', args }))
}

/** An account's Nectar, and its allowance for the contract of stakes, in wei. */
export async function readStakeable(
  { rpc, rpcUrl }: ChainClient,
  { nectar, stakes }: Contracts,
  account: AccountAddress,
): Promise<{ balanceWei: bigint; allowedWei: bigint }> {
  const [balanceWei, allowedWei] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...nectar, functionName: 'balanceOf', args: [account] }),
      rpc.readContract({ ...nectar, functionName: 'allowance', args: [account, stakes.address] }),
    ]),
  )
  return { balanceWei, allowedWei }
}
