import type { Deployment } from '@waggle/deployments/record'
import { connectChain, type FollowedChain } from '#chain/connectChain.ts'
import { type Contracts, contractsOf } from '#chain/contracts.ts'
import type { AccountAddress } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'

/** A session for public reads. The account is that of a peer's folder; null if there is none, and then no information about an account. */
export type ReadSession = { client: FollowedChain; contracts: Contracts; account: AccountAddress | null }

/** Connects for reads alone: nothing is locked, no journal is opened, and nothing can be sent. */
export async function openReadSession(options: {
  deployment: Deployment
  rpcUrl: string
  account: AccountAddress | null
  patience?: Patience
}): Promise<ReadSession> {
  const { deployment, rpcUrl, account, patience } = options
  return { client: await connectChain({ rpcUrl, deployment, patience }), contracts: contractsOf(deployment), account }
}
