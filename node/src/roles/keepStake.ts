import { approveStakes, moveStake } from '#chain/moveStake.ts'
import type { Duty } from '#chain/readStake.ts'
import type { PeerNode } from './peerNode.ts'
import { reportOutcome } from './reportOutcome.ts'

/** Rounds before the end of bootstrap in which a peer stakes: an earlier stake would be at risk for no seat. */
const AHEAD_ROUNDS = 100

/**
 * Stakes for this peer's duty once that is needed and its account has enough Nectar, and makes whole again what was slashed.
 * A stake that its operator has given notice of is left alone.
 */
export async function keepStake(node: PeerNode, duty: Duty, round: number): Promise<void> {
  const { chain, identity, logger } = node
  if (round + AHEAD_ROUNDS < (await chain.readBootstrapRounds())) return
  const { peerKey } = identity
  const { amountWei, fullWei, freeFromRound } = await chain.readStake(duty, peerKey)
  const missingWei = fullWei - amountWei
  if (missingWei === 0n || freeFromRound !== 0) return
  const { balanceWei, allowedWei } = await chain.readStakeable(chain.account)
  if (balanceWei < missingWei) {
    const { claimableWei } = await chain.readNectar(peerKey)
    if (balanceWei + claimableWei < missingWei) return
    if (!reportOutcome(logger, 'nectar claimed', await chain.claimNectar(round), { round })) return
  }
  const id = String(round)
  if (allowedWei < missingWei) {
    const allowed = await chain.send(approveStakes(chain.contracts, id))
    if (!reportOutcome(logger, 'stakes allowed', allowed, { round })) return
  }
  const staked = await chain.send(moveStake(chain.contracts, 'stake', { duty, peerKey, id }))
  reportOutcome(logger, 'staked', staked, { round, duty, amountWei: String(missingWei) })
}
