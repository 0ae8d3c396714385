import { formatEther } from 'viem'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from './reportOutcome.ts'

/** Rounds between claims: one mints what all of them earned, for the gas of one. */
const EVERY_ROUNDS = 5

/** Claims the Nectar of rounds that have become final: the first at once, the rest every few rounds. Nothing earned sends nothing. */
export async function claimEarnings({ chain, identity, logger }: PeerNode, round: number): Promise<void> {
  const { claimableWei, claimedWei } = await chain.readNectar(identity.peerKey)
  if (claimableWei === 0n || (claimedWei > 0n && round % EVERY_ROUNDS !== 0)) return
  reportOutcome(logger, 'nectar claimed', await chain.claimNectar(round), { round, amount: formatEther(claimableWei) })
}
