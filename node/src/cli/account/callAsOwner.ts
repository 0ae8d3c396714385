import type { Deployment } from '@waggle/deployments/record'
import { type Abi, createWalletClient, custom, publicActions, WaitForTransactionReceiptTimeoutError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { NodeError } from '#base/errors.ts'
import { callChain } from '#chain/callChain.ts'
import { type ChainClient, connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { roleName } from '#chain/governance/powers.ts'
import { revertedWith } from '#chain/revertedWith.ts'
import type { AccountAddress, AccountKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { Patience } from '#core/patience.ts'

/** An account that holds a role of a deployment's contracts, such as its deployer. */
export type Owner = { deployment: Deployment; rpcUrl: string; patience?: Patience; key: AccountKey }

type OwnersCall = { address: Hex; abi: Abi; functionName: string; args: readonly unknown[] }

/** A contract reverted a call from this account. */
export class OwnerRefusedError extends NodeError {
  override readonly code = 'OWNER_REFUSED'
  /** The contract's error with its arguments, or the outcome of the transaction. */
  readonly reason: string

  constructor(account: AccountAddress, reason: string, cause?: unknown) {
    const hint = reason.startsWith('AccessControlUnauthorizedAccount')
      ? 'Use the key of an account that has the role (npx waggle owner show), or propose the call: npx waggle owner propose.'
      : 'Try again; somebody else may have changed the state in the meantime.'
    super(`The contract refused a call from the account ${account} (${reason}).`, { hint, cause })
    this.reason = reason
  }
}

/** The account has a transaction that is not mined. A second one would be simulated as if the first did not exist. */
class OwnerPendingError extends NodeError {
  override readonly code = 'CALL_PENDING'

  constructor(message: string, cause?: unknown) {
    const hint = 'Wait for its block. If the chain drops it, repeat the command.'
    super(message, { hint, retryable: true, cause })
  }
}

/** Ten blocks of the slowest network, where no limit is named. */
const MINED_MS = 120_000

/**
 * Makes one call of a contract with an owner's key, and waits for its block.
 *
 * @param callOf - the call, of the contracts of the deployment.
 * @returns the transaction.
 * @throws {OwnerRefusedError} if the contract reverts.
 * @throws {OwnerPendingError} if an earlier transaction of the account is not mined, or this one takes longer than the patience.
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | NoFundsError}
 */
export async function callAsOwner(
  { deployment, rpcUrl, patience, key }: Owner,
  callOf: (contracts: ReturnType<typeof contractsOf>) => OwnersCall,
): Promise<Hex> {
  const account = privateKeyToAccount(key)
  const { rpc } = await connectChain({ rpcUrl, deployment, patience, payer: account.address })
  await requireNonePending({ rpc, rpcUrl }, account.address)
  const client = createWalletClient({ account, transport: custom(rpc), pollingInterval: 500 }).extend(publicActions)
  const call = { ...callOf(contractsOf(deployment)), account }
  try {
    const { request } = await callChain(rpcUrl, () => client.simulateContract(call))
    // Some calls use more gas if a new round begins before their block.
    const gas = ((await callChain(rpcUrl, () => client.estimateContractGas(call))) * 3n) / 2n
    const hash = await callChain(rpcUrl, () => client.writeContract({ ...request, gas, chain: null }))
    const timeout = patience?.limitMs ?? MINED_MS
    const { status } = await callChain(rpcUrl, () => client.waitForTransactionReceipt({ hash, timeout })).catch(
      cause => {
        if (!(cause instanceof WaitForTransactionReceiptTimeoutError)) throw cause
        throw new OwnerPendingError(`Transaction ${hash} was sent and is not mined yet.`, cause)
      },
    )
    if (status === 'success') return hash
    throw new OwnerRefusedError(account.address, `transaction ${hash} reverted`)
  } catch (cause) {
    const reason = revertedWith(cause)
    if (reason === null) throw cause
    const contracts = contractsOf(deployment)
    const named = reason.replace(/0x[0-9a-f]{64}/g, id => roleName(contracts, id as Hex) ?? id)
    throw new OwnerRefusedError(account.address, named, cause)
  }
}

async function requireNonePending({ rpc, rpcUrl }: ChainClient, address: AccountAddress): Promise<void> {
  const [mined, sent] = await Promise.all(
    (['latest', 'pending'] as const).map(blockTag =>
      callChain(rpcUrl, () => rpc.getTransactionCount({ address, blockTag })),
    ),
  )
  if (sent === undefined || mined === undefined || sent <= mined) return
  const count = sent - mined
  const are = count === 1 ? 'a transaction that is' : `${count} transactions that are`
  throw new OwnerPendingError(`The account ${address} has ${are} not mined yet; nothing was sent.`)
}
