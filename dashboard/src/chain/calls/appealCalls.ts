import { challengesAbi } from '@waggle/deployments/abi/challenges'
import { MAX_APPEALS, phase } from '@waggle/deployments/protocol'
import { readContract } from '@wagmi/core'
import { BaseError, ContractFunctionRevertedError, type Hex } from 'viem'
import { simulateContract } from 'viem/actions'
import { shorten } from '#merge/format.ts'
import type { Chain } from '../ChainProvider.tsx'
import type { Call } from '../sendCall.ts'

/** A score that can be appealed now, and the required bond. */
export interface OpenAppeal {
  round: number
  /** 1, or 2 for the verdict of the first. */
  level: number
  bondWei: bigint
}

const challengesOf = ({ network }: Chain) => ({ address: network.challenges, abi: challengesAbi }) as const

/** The settled rounds of a peer whose score, or the verdict on it, can be appealed in the current round. */
export async function readOpenAppeals(
  chain: Chain,
  peerKey: Hex,
  settledRounds: readonly number[],
  currentRound: number,
): Promise<OpenAppeal[]> {
  const challenges = challengesOf(chain)
  const found = await Promise.all(
    settledRounds.map(async round => {
      const args = [BigInt(round), peerKey] as const
      const { levels, isClosed, last } = await readContract(chain.config, {
        ...challenges,
        functionName: 'caseOf',
        args,
      })
      const dueRound = (levels === 0 ? round : Number(last.openedRound)) + phase.settling
      if (dueRound !== currentRound || levels === MAX_APPEALS || isClosed) return []
      if (levels > 0 && !(await mayAppealVerdict(chain, args, currentRound))) return []
      const level = levels + 1
      const bond = { ...challenges, functionName: 'appealBond', args: [level] } as const
      return [{ round, level, bondWei: await readContract(chain.config, bond) }]
    }),
  )
  return found.flat()
}

/**
 * Whether the contract takes an appeal of a verdict: not of what all seats found, or of a jury that found no bundle and changes nothing.
 *
 * Asked without a bond, which the contract checks last: an account need not have it.
 *
 * @throws if the chain's last block is of an earlier round.
 */
async function mayAppealVerdict(chain: Chain, args: readonly [bigint, Hex], currentRound: number): Promise<boolean> {
  try {
    await simulateContract(chain.config.getClient(), { ...challengesOf(chain), functionName: 'appeal', args })
    return true
  } catch (cause) {
    const revert = cause instanceof BaseError && cause.walk(error => error instanceof ContractFunctionRevertedError)
    if (!(revert instanceof ContractFunctionRevertedError)) throw cause
    if (revert.data?.errorName !== 'Challenges_NotAppealable') return true
    if (revert.data.args?.[3] !== BigInt(currentRound)) throw cause
    return false
  }
}

export function appealCall(chain: Chain, peerKey: Hex, { round, bondWei }: OpenAppeal): Call {
  const args = [BigInt(round), peerKey]
  return {
    ...challengesOf(chain),
    functionName: 'appeal',
    args,
    value: bondWei,
    what: `Appeal round ${round} of ${shorten(peerKey)}`,
  }
}
