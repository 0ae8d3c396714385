import { challengesAbi } from '@waggle/deployments/abi/challenges'
import { MAX_APPEALS, phase } from '@waggle/deployments/protocol'
import { readContract } from '@wagmi/core'
import type { Hex } from 'viem'
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
      // The contract takes no appeal of what all seats found.
      const isFinal = levels > 0 && last.drawn === last.seats
      if (dueRound !== currentRound || levels === MAX_APPEALS || isClosed || isFinal) return []
      const level = levels + 1
      const bond = { ...challenges, functionName: 'appealBond', args: [level] } as const
      return [{ round, level, bondWei: await readContract(chain.config, bond) }]
    }),
  )
  return found.flat()
}

export function appealCall(chain: Chain, peerKey: Hex, { round, bondWei }: OpenAppeal): Call {
  const args = [BigInt(round), peerKey]
  return { ...challengesOf(chain), functionName: 'appeal', args, value: bondWei, what: `Appeal round ${round}` }
}
