import { phase } from '@waggle/deployments/protocol'
import { formatEther } from 'viem'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { countAppeal, type FollowedAppeal, noteAppeal } from './followAppeals.ts'

/** Bonds to leave in the account, for gas. */
const SPARE_BONDS = 4n

/** Appeals a settled score, or a verdict on it, and registers the appeal to be followed. Warns if the account has too little coin. */
export async function sendAppeal(node: PeerNode, about: FollowedAppeal, bondWei: bigint): Promise<void> {
  const { chain, logger } = node
  const { round, peerKey, level } = about
  if ((await chain.readBalance(chain.account)) < bondWei * SPARE_BONDS)
    return logger.warn('a score cannot be appealed: the account has too little for the bond', about)
  // Before sending: after a stop in between, the chain shows whether it was sent.
  noteAppeal(node, about)
  const appeal = { round, peerKey, level, dueRound: round + level * phase.settling, bondWei }
  void chain.appealScore(appeal).then(outcome => {
    if (outcome.status === 'mined') countAppeal(node, 'sent')
    reportOutcome(logger, 'score appealed', outcome, { ...about, bond: formatEther(bondWei) })
  })
}
