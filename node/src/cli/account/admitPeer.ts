import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { readAccountOf } from '#chain/peers/readPeers.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { callAsOwner, type Owner, OwnerRefusedError } from './callAsOwner.ts'

export type Admission = Owner & { peerId: string }
type AdmissionOutcome = ({ status: 'seated'; hash: Hex } | { status: 'already seated' }) & {
  /** The seat of a key that is not registered scores nothing. */
  isRegistered: boolean
}

/**
 * Seats an evaluator from the next round on, with the key of an account that holds the role.
 *
 * @throws as {@link callAsOwner}.
 */
export async function admitPeer({ peerId, ...owner }: Admission): Promise<AdmissionOutcome> {
  const peerKey = peerKeyOf(peerId)
  const chain = await connectChain(owner)
  const isRegistered = (await readAccountOf(chain, contractsOf(owner.deployment), peerKey)) !== null
  try {
    const hash = await callAsOwner(owner, ({ rewardVotes }) => ({
      ...rewardVotes,
      functionName: 'admitEvaluator',
      args: [peerKey],
    }))
    return { status: 'seated', hash, isRegistered }
  } catch (error) {
    const isSeated = error instanceof OwnerRefusedError && error.reason.startsWith('RewardVotes_AlreadySeated')
    if (isSeated) return { status: 'already seated', isRegistered }
    throw error
  }
}
