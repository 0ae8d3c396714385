import { formatEther } from 'viem'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from './reportOutcome.ts'

/** Rounds between claims: one claim mints the earnings of all of them. */
const EVERY_ROUNDS = 5

/** Claims the Nectar of final rounds: the first at once, then every few rounds. Sends nothing if nothing was earned. */
export async function claimEarnings({ chain, identity, logger }: PeerNode, round: number): Promise<void> {
  const { claimableWei, claimedWei } = await chain.readNectar(identity.peerKey)
  if (claimableWei === 0n || (claimedWei > 0n && round % EVERY_ROUNDS !== 0)) return
  reportOutcome(logger, 'nectar claimed', await chain.claimNectar(round), { round, amount: formatEther(claimableWei) })
}
