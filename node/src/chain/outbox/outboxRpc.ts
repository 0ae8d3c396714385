import { type Address, formatEther, keccak256 } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import { refusalOf, type SendOutcome, sendOutcome } from '../guard/sendOutcome.ts'
import { revertedWith } from '../revertedWith.ts'
import { type MinedTransaction, minedAt } from './minedAt.ts'

export type Fees = { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint }
type Call = Pick<OutboxIntent, 'to' | 'data'> & { valueWei?: bigint | undefined }
export type UnsignedTransaction = Call & Fees & { nonce: number; gas: bigint }
/** The gas limit for a call, the error that it would revert with, or what the endpoint says if it estimates neither. */
export type Simulated = { gas: bigint } | { revertedWith: string } | { refused: string }

/** The outbox's view of the chain: an interface, so that tests can simulate any chain. */
export type OutboxRpc = {
  /** Next nonce of the account by the newest block. */
  latestNonce(): Promise<number>
  /** The same, and the one after what waits in the node's pool. */
  nonces(): Promise<{ latest: number; pending: number }>
  /** The call now; its gas has a margin. */
  simulate(call: Call): Promise<Simulated>
  fees(): Promise<Fees>
  /** Of the account, by the newest block. */
  balance(): Promise<bigint>
  sign(transaction: UnsignedTransaction): Promise<{ hash: Hex; raw: Hex }>
  send(raw: Hex): Promise<SendOutcome>
  /** Null while it is in no block. */
  receipt(hash: Hex): Promise<{ block: number; succeeded: boolean; gasUsed: bigint } | null>
  /** The account's transaction in a block that has this nonce; null if it can't be found and proven. `head`: a block in which the nonce is used. */
  minedAt(nonce: number, head: number): Promise<MinedTransaction | null>
  /** Why a mined transaction failed, as far as a replay at its block tells. */
  revertReason(call: Call, block: number): Promise<string>
  /** Address of the account. */
  address: Hex
}

const GAS_MARGIN_PERCENT = 130n
/** A fresh slot (22,100 gas, EIP-2929) that another's call leaves to this one: the reveal that completes a quorum writes one more. */
const GAS_SPARE = 25_000n

/** Estimates are of the newest block; the block that mines the call may need more. Unused gas costs nothing. */
export function gasLimitFor(estimate: bigint): bigint {
  return (estimate * GAS_MARGIN_PERCENT) / 100n + GAS_SPARE
}

export function createOutboxRpc({ rpc, rpcUrl }: ChainClient, account: PrivateKeyAccount, chainId: number): OutboxRpc {
  const address: Address = account.address
  const call = <T>(work: () => Promise<T>) => callChain(rpcUrl, work)
  const count = (blockTag: 'latest' | 'pending') => call(() => rpc.getTransactionCount({ address, blockTag }))
  return {
    address,
    latestNonce: () => count('latest'),
    async nonces() {
      const [latest, pending] = await Promise.all([count('latest'), count('pending')])
      return { latest, pending }
    },
    simulate: one => call(() => simulateCall(rpc, address, one)),
    async fees() {
      const fees = await call(() => rpc.estimateFeesPerGas())
      return { maxFeePerGasWei: fees.maxFeePerGas, maxPriorityFeePerGasWei: fees.maxPriorityFeePerGas }
    },
    balance: () => call(() => rpc.getBalance({ address })),
    async sign({ to, data, valueWei = 0n, nonce, gas, maxFeePerGasWei, maxPriorityFeePerGasWei }) {
      const fees = { maxFeePerGas: maxFeePerGasWei, maxPriorityFeePerGas: maxPriorityFeePerGasWei }
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId,
        to,
        data,
        value: valueWei,
        nonce,
        gas,
        ...fees,
      })
      return { hash: keccak256(raw), raw }
    },
    send: raw =>
      call(async () => {
        try {
          await rpc.sendRawTransaction({ serializedTransaction: raw })
          return 'accepted'
        } catch (error) {
          const outcome = sendOutcome(error)
          if (outcome === null) throw error
          return outcome
        }
      }),
    receipt: hash =>
      call(async () => {
        const receipt = await rpc.request({ method: 'eth_getTransactionReceipt', params: [hash] })
        if (receipt === null || receipt.blockNumber === null) return null
        const { blockNumber, status, gasUsed } = receipt
        return { block: Number(blockNumber), succeeded: status === '0x1', gasUsed: BigInt(gasUsed) }
      }),
    minedAt: (nonce, head) => minedAt({ rpc, rpcUrl }, address, nonce, head),
    revertReason: (one, block) => call(() => replayCall(rpc, address, one, block)),
  }
}

type Rpc = ChainClient['rpc']

/** A refusal in any words concerns this call alone: clients have many for one that the account cannot pay. */
async function simulateCall(rpc: Rpc, address: Address, { to, data, valueWei = 0n }: Call): Promise<Simulated> {
  try {
    const gas = await rpc.estimateGas({ account: address, to, data, value: valueWei })
    return { gas: gasLimitFor(gas) }
  } catch (error) {
    const reason = revertedWith(error)
    if (reason !== null) return { revertedWith: reason }
    const refused = refusalOf(error)
    if (refused === null) throw error
    const isPoor = valueWei > 0n && (await rpc.getBalance({ address })) < valueWei
    return isPoor
      ? { revertedWith: `the account has less than ${formatEther(valueWei)} of the chain's coin` }
      : { refused }
  }
}

/** Why a call failed in a block, as far as a replay there tells. */
async function replayCall(
  rpc: Rpc,
  address: Address,
  { to, data, valueWei = 0n }: Call,
  block: number,
): Promise<string> {
  try {
    await rpc.call({ account: address, to, data, value: valueWei, blockNumber: BigInt(block) })
    return 'a revert that a replay does not show'
  } catch (error) {
    const reason = revertedWith(error)
    if (reason !== null) return reason
    // A server that no longer has that block's state refuses; this must not block later entries.
    if (refusalOf(error) !== null) return 'a revert whose reason the server cannot tell'
    throw error
  }
}
