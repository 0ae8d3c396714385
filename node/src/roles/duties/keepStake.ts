import { approveStakes, moveStake } from '#chain/peers/moveStake.ts'
import type { Duty } from '#chain/peers/readStake.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { hasLeft, rememberLeft } from './leftDuty.ts'

/** Rounds before the end of bootstrap in which a peer stakes: an earlier stake would be at risk for no seat. */
const AHEAD_ROUNDS = 100

/**
 * Stakes for this peer's duty once that is needed and its account has enough Nectar, and tops up after a slash. It does not stake after its operator
 * has left the duty: it remembers a notice on the chain, from any source, beyond the withdrawal and restarts, until there is a stake without a notice
 * again.
 */
export async function keepStake(node: PeerNode, duty: Duty, round: number): Promise<void> {
  const { chain, identity, journal, logger } = node
  // A seat is of the next round at the earliest.
  if (round + 1 < node.countsFrom) return
  if (round + AHEAD_ROUNDS < (await chain.readBootstrapRounds())) return
  const { peerKey } = identity
  const { amountWei, fullWei, freeFromRound } = await chain.readStake(duty, peerKey)
  const isLeaving = freeFromRound !== 0
  if (isLeaving || amountWei > 0n) rememberLeft(journal, duty, isLeaving)
  const missingWei = fullWei - amountWei
  if (missingWei === 0n || hasLeft(journal, duty)) return
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
