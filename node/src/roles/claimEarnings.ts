import type { PeerNode } from './peerNode.ts'
import { reportOutcome } from './reportOutcome.ts'

/** Rounds between claims: one mints what all of them earned, for the gas of one. */
const EVERY_ROUNDS = 5

/** Claims the Nectar of rounds that have become final, every few rounds; nothing earned sends nothing. */
export async function claimEarnings({ chain, identity, logger }: PeerNode, round: number): Promise<void> {
  if (round % EVERY_ROUNDS !== 0) return
  const { claimableWei } = await chain.readNectar(identity.peerKey)
  if (claimableWei === 0n) return
  reportOutcome(logger, 'nectar claimed', await chain.claimNectar(round), { round, amountWei: String(claimableWei) })
}
