import { formatEther } from 'viem'
import type { PeerNode } from '../peerNode.ts'
import { everyFewRounds } from './everyFewRounds.ts'
import { reportOutcome } from './reportOutcome.ts'

/** Part of a demand's bond from which on a credit is withdrawn: many times the gas of the withdrawal, at any gas price. */
const LEAST_SHARE = 4n

/** Withdraws what challenges owe this account, every few rounds: bonds that came back, pay as a juror, and gas of leaves that were shown. */
export function withdrawCredit({ chain, journal, logger }: PeerNode, round: number): Promise<void> {
  return everyFewRounds(journal, 'withdrawal', round, async () => {
    const creditWei = await chain.readCredit(chain.account)
    if (creditWei === 0n || creditWei < (await chain.readDemandBond()) / LEAST_SHARE) return true
    const outcome = await chain.withdrawCredit(`credit:${round}`)
    return reportOutcome(logger, 'credit withdrawn', outcome, { round, amount: formatEther(creditWei) })
  })
}
