import type { Deployment } from '@waggle/deployments/record'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'

export type Admission = { deployment: Deployment; rpcUrl: string; peerId: string; key: Hex }

/** Seats an evaluator with the key of an account that holds the role. @returns what happened, as a sentence. */
export async function admitPeer({ deployment, rpcUrl, peerId, key }: Admission): Promise<string> {
  const account = privateKeyToAccount(key)
  await connectChain({ rpcUrl, deployment, payer: account.address })
  const { rewardVotes } = contractsOf(deployment)
  const client = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions)
  const args = [peerKeyOf(peerId)] as const
  const { request } = await client.simulateContract({ ...rewardVotes, functionName: 'admitEvaluator', args, account })
  const hash = await client.writeContract({ ...request, chain: null })
  const { status } = await client.waitForTransactionReceipt({ hash })
  return status === 'success' ? `${peerId} sits from the next round on (${hash})` : `the transaction ${hash} failed`
}
