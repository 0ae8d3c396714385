import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { callAsOwner, type Owner, OwnerRefusedError } from './callAsOwner.ts'

export type Admission = Owner & { peerId: string }
type AdmissionOutcome = { status: 'seated'; hash: Hex } | { status: 'already seated' }

/**
 * Seats an evaluator from the next round on, with the key of an account that holds the role.
 *
 * @throws as {@link callAsOwner}.
 */
export async function admitPeer({ peerId, ...owner }: Admission): Promise<AdmissionOutcome> {
  try {
    const hash = await callAsOwner(owner, ({ rewardVotes }) => ({
      ...rewardVotes,
      functionName: 'admitEvaluator',
      args: [peerKeyOf(peerId)],
    }))
    return { status: 'seated', hash }
  } catch (error) {
    const isSeated = error instanceof OwnerRefusedError && error.reason.startsWith('RewardVotes_AlreadySeated')
    if (isSeated) return { status: 'already seated' }
    throw error
  }
}
