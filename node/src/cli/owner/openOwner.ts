import { NodeError } from '#base/errors.ts'
import { connectChain, type FollowedChain } from '#chain/connectChain.ts'
import { type Contracts, contractsOf } from '#chain/contracts.ts'
import type { Hex } from '#core/hex.ts'
import type { OwnersQuestion } from '../account/callAsOwner.ts'

/** An owner's request is refused before anything is sent: a wrong value, or a call that would revert. */
export class ProposalRefusedError extends NodeError {
  override readonly code: string = 'PROPOSAL_REFUSED'
}

/** The operation's delay has not passed. */
export class TooEarlyError extends ProposalRefusedError {
  override readonly code = 'TOO_EARLY'
}

/** A deployment with its reads. `rpcUrl` is the configured endpoint; the client's is redacted for display. */
export type OwnerSession = OwnersQuestion & { client: FollowedChain; contracts: Contracts }

/** A transaction to be signed by a key of this shell or by a multisig. */
export type Transaction = { to: Hex; value: string; data: Hex }

/** Connects for reads: nothing is locked, and no key is needed. */
export async function openOwner(question: OwnersQuestion): Promise<OwnerSession> {
  return { ...question, client: await connectChain(question), contracts: contractsOf(question.deployment) }
}
