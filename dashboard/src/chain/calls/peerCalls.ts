import { nectarAbi } from '@waggle/deployments/abi/nectar'
import { stakesAbi } from '@waggle/deployments/abi/stakes'
import { readContract } from '@wagmi/core'
import type { Address, Hex } from 'viem'
import { shorten } from '#merge/format.ts'
import type { Chain } from '../ChainProvider.tsx'
import type { Call } from '../sendCall.ts'
import { requireTokens } from './requireTokens.ts'

/** In the contract's order. */
const duties = ['evaluator', 'proposer'] as const
export type Duty = (typeof duties)[number]

/** Stake of a peer for a duty, wei. */
export interface HeldStake {
  duty: Duty
  amountWei: bigint
  /** Amount missing to a full stake. */
  missingWei: bigint
  /** First round in which it can be withdrawn; null until it is unstaked. */
  freeFromRound: number | null
}

export interface PeerFunds {
  claimableWei: bigint
  stakes: HeldStake[]
}

const nectarOf = ({ network }: Chain) => ({ address: network.nectar, abi: nectarAbi }) as const
const stakesOf = ({ network }: Chain) => ({ address: network.stakes, abi: stakesAbi }) as const

export async function readFunds(chain: Chain, peerKey: Hex): Promise<PeerFunds> {
  const [claimableWei, ...stakes] = await Promise.all([
    readContract(chain.config, { ...nectarOf(chain), functionName: 'claimable', args: [peerKey] }),
    ...duties.map((_, number) => readStake(chain, number, peerKey)),
  ])
  return { claimableWei, stakes }
}

async function readStake(chain: Chain, number: number, peerKey: Hex): Promise<HeldStake> {
  const contract = stakesOf(chain)
  const [{ amountWei, freeFromRound }, fullWei] = await Promise.all([
    readContract(chain.config, { ...contract, functionName: 'stakeOf', args: [number, peerKey] }),
    readContract(chain.config, { ...contract, functionName: 'fullStakeOf', args: [number] }),
  ])
  return {
    duty: duties[number] ?? 'evaluator',
    amountWei,
    missingWei: amountWei < fullWei ? fullWei - amountWei : 0n,
    freeFromRound: freeFromRound === 0n ? null : Number(freeFromRound),
  }
}

export function claimNectar(chain: Chain, peerKey: Hex): Call {
  return { ...nectarOf(chain), functionName: 'claim', args: [peerKey], what: `Claim Nectar of ${shorten(peerKey)}` }
}

/** Tops up a stake: the approval covers only the missing amount. */
export async function stakeCalls(
  chain: Chain,
  account: Address,
  { duty, missingWei }: HeldStake,
  peerKey: Hex,
): Promise<Call[]> {
  const nectar = nectarOf(chain)
  await requireTokens(chain, nectar.address, account, missingWei)
  const owner = [account, chain.network.stakes] as const
  const allowed = await readContract(chain.config, { ...nectar, functionName: 'allowance', args: owner })
  const staked = moveStake(chain, 'stake', duty, peerKey)
  if (allowed >= missingWei) return [staked]
  const args = [chain.network.stakes, missingWei]
  const what = `Let the ${duty} stake of ${shorten(peerKey)} be taken`
  return [{ ...nectar, functionName: 'approve', args, what }, staked]
}

const says = { stake: 'Stake as', unstake: 'Unstake as', withdraw: 'Withdraw the stake as' } as const

/** Stakes, unstakes, or withdraws a released stake. */
export function moveStake(chain: Chain, move: keyof typeof says, duty: Duty, peerKey: Hex): Call {
  const args = [duties.indexOf(duty), peerKey]
  return { ...stakesOf(chain), functionName: move, args, what: `${says[move]} ${duty} ${shorten(peerKey)}` }
}
