import type { Deployment } from '@waggle/deployments/record'
import { createWalletClient, custom, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { callChain } from '#chain/callChain.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { revertedWith } from '#chain/revertedWith.ts'
import { NodeError } from '#core/errors.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'

export type Admission = { deployment: Deployment; rpcUrl: string; peerId: string; key: Hex }
export type AdmissionOutcome = { status: 'seated'; hash: Hex } | { status: 'already seated' }

/** The contract does not let this account seat this evaluator. */
export class AdmissionRefusedError extends NodeError {
  override readonly code = 'ADMISSION_REFUSED'
}

const hints: readonly (readonly [error: string, hint: string])[] = [
  [
    'AccessControlUnauthorizedAccount',
    'Use the key of the account that deployed, or have it grant EVALUATOR_ADMIN_ROLE.',
  ],
]

/**
 * Seats an evaluator from the next round on, with the key of an account that holds the role.
 *
 * @throws {AdmissionRefusedError} if the contract says no.
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | NoFundsError}
 */
export async function admitPeer({ deployment, rpcUrl, peerId, key }: Admission): Promise<AdmissionOutcome> {
  const account = privateKeyToAccount(key)
  const { rpc } = await connectChain({ rpcUrl, deployment, payer: account.address })
  const { rewardVotes } = contractsOf(deployment)
  const client = createWalletClient({ account, transport: custom(rpc), pollingInterval: 500 }).extend(publicActions)
  const call = { ...rewardVotes, functionName: 'admitEvaluator', args: [peerKeyOf(peerId)], account } as const
  try {
    const { request } = await callChain(rpcUrl, () => client.simulateContract(call))
    // A round that begins before the block does makes the call write more.
    const gas = ((await callChain(rpcUrl, () => client.estimateContractGas(call))) * 3n) / 2n
    const hash = await callChain(rpcUrl, () => client.writeContract({ ...request, gas, chain: null }))
    const { status } = await callChain(rpcUrl, () => client.waitForTransactionReceipt({ hash }))
    if (status === 'success') return { status: 'seated', hash }
    throw refused(account.address, `transaction ${hash} reverted`)
  } catch (cause) {
    const reason = revertedWith(cause)
    if (reason === null) throw cause
    if (reason.startsWith('RewardVotes_AlreadySeated')) return { status: 'already seated' }
    throw refused(account.address, reason, cause)
  }
}

function refused(account: Hex, reason: string, cause?: unknown): AdmissionRefusedError {
  const [, hint = 'Try again; somebody else may have changed the seats.'] =
    hints.find(([error]) => reason.startsWith(error)) ?? []
  return new AdmissionRefusedError(`The account ${account} cannot seat this evaluator (${reason}).`, { hint, cause })
}
