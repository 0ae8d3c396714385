import { formatEther } from 'viem'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { everyFewRounds } from './everyFewRounds.ts'

/** Claims the Nectar of final rounds: the first at once, then every few rounds. Sends nothing if nothing was earned. */
export function claimEarnings({ chain, identity, journal, logger }: PeerNode, round: number): Promise<void> {
  return everyFewRounds(journal, 'claim', round, async () => {
    const { claimableWei } = await chain.readNectar(identity.peerKey)
    if (claimableWei === 0n) return false
    const outcome = await chain.claimNectar(round)
    return reportOutcome(logger, 'nectar claimed', outcome, { round, amount: formatEther(claimableWei) })
  })
}
