import { phase } from '@waggle/deployments/protocol'
import { formatEther } from 'viem'
import { reportOutcome } from '../duties/reportOutcome.ts'
import type { PeerNode } from '../peerNode.ts'
import { countAppeal, type FollowedAppeal, noteAppeal } from './followAppeals.ts'

/** Bonds that must be left in the account: work costs gas too. */
const SPARE_BONDS = 4n

/** Appeals a settled score, or a verdict on it, and has the appeal followed. Without the coin for it, says so. */
export async function sendAppeal(node: PeerNode, about: FollowedAppeal, bondWei: bigint): Promise<void> {
  const { chain, logger } = node
  const { round, peerKey, level } = about
  if ((await chain.readBalance(chain.account)) < bondWei * SPARE_BONDS)
    return logger.warn('a score cannot be appealed: the account has too little for the bond', about)
  // Before it is sent: after a stop in between, the chain says whether it was.
  noteAppeal(node, about)
  const appeal = { round, peerKey, level, dueRound: round + level * phase.settling, bondWei }
  void chain.appealScore(appeal).then(outcome => {
    if (outcome.status === 'mined') countAppeal(node, 'sent')
    reportOutcome(logger, 'score appealed', outcome, { ...about, bond: formatEther(bondWei) })
  })
}
