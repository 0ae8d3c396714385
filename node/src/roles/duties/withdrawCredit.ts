import { formatEther } from 'viem'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from './reportOutcome.ts'

/** Part of a demand's bond from which on a credit is withdrawn: it is thirty times the gas of the withdrawal. */
const LEAST_SHARE = 4n

/** Withdraws what challenges owe this account: bonds that came back, and pay as a juror. */
export async function withdrawCredit({ chain, logger }: PeerNode, round: number): Promise<void> {
  const creditWei = await chain.readCredit(chain.account)
  if (creditWei === 0n || creditWei < (await chain.readDemandBond()) / LEAST_SHARE) return
  const outcome = await chain.withdrawCredit(`credit:${round}`)
  reportOutcome(logger, 'credit withdrawn', outcome, { round, amount: formatEther(creditWei) })
}
