import type { Deployment } from '@waggle/deployments/record'
import { type Abi, encodeFunctionData, formatGwei, WaitForTransactionReceiptTimeoutError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { NodeError } from '#base/errors.ts'
import { callChain } from '#chain/callChain.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { roleName } from '#chain/governance/powers.ts'
import type { SendOutcome } from '#chain/guard/sendOutcome.ts'
import { defaultFeeLimits, type FeeSettings, feeLimits } from '#chain/outbox/feeSettings.ts'
import { firstBid } from '#chain/outbox/outboxBids.ts'
import { createOutboxRpc, type Fees, type OutboxRpc, type UnsignedTransaction } from '#chain/outbox/outboxRpc.ts'
import { revertedWith } from '#chain/revertedWith.ts'
import { systemClock } from '#core/clock.ts'
import type { AccountAddress, AccountKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { Patience } from '#core/patience.ts'

/** An account that holds a role of a deployment's contracts, such as its deployer. */
export type Owner = OwnersQuestion & { key: AccountKey }

/** Where an owner's call goes, and its bounds. */
export type OwnersQuestion = {
  deployment: Deployment
  rpcUrl: string
  patience?: Patience
  /** Bounds of what the account pays for gas. */
  fees?: FeeSettings
}

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

/** Gas costs more than the account may pay, or no pool takes the transaction. */
class OwnerUnsentError extends NodeError {
  override readonly code = 'CALL_UNSENT'
}

/** Ten blocks of the slowest network, where no limit is named. */
const MINED_MS = 120_000

/** Longest wait for a receipt from a server that is behind the one that names a used nonce, and the time between two requests. */
const LATE_MS = 15_000
const POLL_MS = 500

/**
 * Makes one call of a contract with an owner's key, and waits for its block.
 *
 * Nonce, chain and fees are set here, within the bounds of a peer's transactions: an endpoint that fills them in chooses what the account pays.
 *
 * @param callOf - the call, of the contracts of the deployment.
 * @returns the transaction.
 * @throws {OwnerRefusedError} if the contract reverts.
 * @throws {OwnerPendingError} if an earlier transaction of the account is not mined, or this one takes longer than the patience.
 * @throws {OwnerUnsentError} if gas costs more than the bounds allow, or no pool takes the transaction.
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | NoFundsError}
 */
export async function callAsOwner(
  { deployment, rpcUrl, patience, key, fees: bounds }: Owner,
  callOf: (contracts: ReturnType<typeof contractsOf>) => OwnersCall,
): Promise<Hex> {
  const account = privateKeyToAccount(key)
  const chain = await connectChain({ rpcUrl, deployment, patience, payer: account.address })
  const sender = createOutboxRpc(chain, account, deployment.chainId)
  const nonce = await freeNonce(sender)
  // By its address: for an account with a key viem asks the endpoint to fill in the transaction.
  const call = { ...callOf(contractsOf(deployment)), account: account.address }
  const { rpc } = chain
  try {
    await callChain(rpcUrl, () => rpc.simulateContract(call))
    // Some calls use more gas if a new round begins before their block.
    const gas = ((await callChain(rpcUrl, () => rpc.estimateContractGas(call))) * 3n) / 2n
    const fees = await boundedFees(sender, bounds)
    const transaction = { to: call.address, data: encodeFunctionData(call), nonce, gas, ...fees }
    const hash = await send(sender, transaction, Math.min(LATE_MS, patience?.limitMs ?? LATE_MS))
    const waited = { hash, timeout: patience?.limitMs ?? MINED_MS, pollingInterval: 500 }
    const { status } = await callChain(rpcUrl, () => rpc.waitForTransactionReceipt(waited)).catch(cause => {
      if (!(cause instanceof WaitForTransactionReceiptTimeoutError)) throw cause
      throw new OwnerPendingError(`Transaction ${hash} was sent and is not mined yet.`, cause)
    })
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

/** @throws {OwnerPendingError} if a transaction of the account is not mined. */
async function freeNonce({ nonces, address }: OutboxRpc): Promise<number> {
  const { latest, pending } = await nonces()
  if (pending <= latest) return latest
  const count = pending - latest
  const are = count === 1 ? 'a transaction that is' : `${count} transactions that are`
  throw new OwnerPendingError(`The account ${address} has ${are} not mined yet; nothing was sent.`)
}

/** @throws {OwnerUnsentError} if gas costs more than the account may pay. */
async function boundedFees(sender: OutboxRpc, bounds: FeeSettings | undefined): Promise<Fees> {
  const most = bounds ? feeLimits(bounds) : defaultFeeLimits
  const { fees, wantedWei } = firstBid(await sender.fees(), most)
  if (wantedWei <= most.maxFeePerGasWei) return fees
  const [costs, may] = [wantedWei, most.maxFeePerGasWei].map(wei => formatGwei(wei))
  throw new OwnerUnsentError(`A unit of gas costs ${costs} gwei, and may cost ${may}; nothing was sent.`, {
    hint: 'Wait until it costs less, or raise --max-fee-gwei.',
    retryable: true,
  })
}

/**
 * @param lateMs - how long a receipt may come after the answer that the nonce is used.
 * @throws {OwnerUnsentError} if no pool takes the transaction.
 */
async function send(sender: OutboxRpc, transaction: UnsignedTransaction, lateMs: number): Promise<Hex> {
  const { hash, raw } = await sender.sign(transaction)
  const outcome = await sender.send(raw)
  // Its nonce is used by itself if it was repeated after a lost answer.
  if (outcome === 'accepted' || (outcome === 'nonce too low' && (await isMined(sender, hash, lateMs)))) return hash
  const reason = typeof outcome === 'string' ? outcome : outcome.refused
  throw new OwnerUnsentError(`The RPC endpoint did not take the transaction (${reason}); nothing was sent.`, {
    hint: hintFor(outcome, sender.address),
    retryable: true,
  })
}

async function isMined({ receipt }: OutboxRpc, hash: Hex, lateMs: number): Promise<boolean> {
  for (let leftMs = lateMs; (await receipt(hash)) === null; leftMs -= POLL_MS) {
    if (leftMs <= 0) return false
    await systemClock.sleep(POLL_MS)
  }
  return true
}

function hintFor(outcome: SendOutcome, account: Hex): string {
  if (outcome === 'no funds') return `Send the account ${account} some of the chain's coin.`
  if (outcome === 'underpriced') return 'Try again, or raise --max-tip-gwei: an eighth of it is offered at most.'
  if (outcome === 'nonce too low') return 'Another transaction of the account was mined meanwhile. Try again.'
  return 'Try again, or name another endpoint with --rpc.'
}
