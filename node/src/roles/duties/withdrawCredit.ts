import { formatEther } from 'viem'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { everyFewRounds } from './everyFewRounds.ts'

/** Gas of a withdrawal. */
const WITHDRAWAL_GAS = 45_000n
/** A credit is withdrawn once it is worth this many withdrawals: the gas of three leaves that were shown. */
const LEAST_WITHDRAWALS = 10n

/** Withdraws what challenges owe this account, every few rounds: bonds that came back, pay as a juror, and gas of leaves that were shown. */
export function withdrawCredit({ chain, journal, logger }: PeerNode, round: number): Promise<void> {
  return everyFewRounds(journal, 'withdrawal', round, async () => {
    const creditWei = await chain.readCredit(chain.account)
    if (creditWei === 0n) return true
    if (creditWei < LEAST_WITHDRAWALS * WITHDRAWAL_GAS * (await chain.readGasPrice())) return true
    const outcome = await chain.withdrawCredit(`credit:${round}`)
    return reportOutcome(logger, 'credit withdrawn', outcome, { round, amount: formatEther(creditWei) })
  })
}
