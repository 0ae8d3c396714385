import { formatEther } from 'viem'
import { LOOK_BACK } from '#chain/challenges/leafDemands.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { Beacon } from '#core/hashes.ts'
import { environmentBytes } from '#environments/environmentSpec.ts'
import { sampledLeaves } from '../draws/drawCommittee.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Bonds that the account must have for a demand, of which three are left: votes cost gas too. */
const SPARE_BONDS = 4n

/** A peer whose bundle was unavailable. */
type Missing = { round: number; beacon: Beacon; commitment: RolloutCommitment }

/**
 * Demands a sampled leaf of each peer whose bundle was unavailable, within the budget, and closes unanswered demands. Voting does not
 * wait for it.
 *
 * @param budget - most demands per round. Each takes a bond, which pays the response.
 */
export async function demandMissing(node: PeerNode, missing: readonly Missing[], budget: number): Promise<void> {
  const { chain, chainId, environment, logger } = node
  const specification = environmentBytes(environment.spec)
  /** Of the demands that the balance does not show yet. */
  let bondsWei = 0n
  for (const { round, beacon, commitment } of missing.slice(0, budget)) {
    const { peerKey } = commitment
    const sampled = sampledLeaves(chainId, round, beacon, peerKey, environment.spec)
    // A leaf that was never committed counts 0 already.
    const place = sampled.findIndex(index => index < commitment.count)
    if (place < 0) continue
    const bondWei = await chain.readDemandBond()
    if ((await chain.readBalance(chain.account)) - bondsWei < bondWei * SPARE_BONDS) {
      logger.warn('a leaf cannot be demanded: the account has too little for the bond', {
        round,
        peerKey,
        bond: formatEther(bondWei),
      })
      return
    }
    bondsWei += bondWei
    void chain
      .demandLeaf({ round, commitment, place, specification }, bondWei)
      .then(outcome => reportOutcome(logger, 'leaf demanded', outcome, { round, peerKey, index: sampled[place] ?? 0 }))
  }
}

/**
 * Closes this account's unanswered demands: the bonds are credited to it, and the peers lose the round. Also those of earlier rounds, in which this
 * node or the chain stood still, and those of its operator. One that is refused is closed in a later round: the chain waits for 16 blocks.
 */
export async function closeOwnDemands({ chain, logger }: PeerNode, round: number): Promise<void> {
  if (round < 3) return
  const demands = await chain.readDemands({ first: Math.max(0, round - LOOK_BACK), last: round - 2 })
  const own = demands.filter(({ state, challenger }) => state === 'open' && challenger === chain.account)
  const closing = own.map(async demand => {
    const { peerKey, index } = demand
    const outcome = await chain.closeDemand(demand)
    reportOutcome(logger, 'demand closed: the leaf was withheld', outcome, { round: demand.round, peerKey, index })
  })
  await Promise.all(closing)
}
