import { type Address, keccak256, recoverTransactionAddress, serializeTransaction, type Transaction } from 'viem'
import type { Hex } from '#core/hex.ts'
import { callChain } from '../callChain.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import type { ChainClient } from '../connectChain.ts'
import { lacksState } from '../guard/answers.ts'

/** A transaction of the account in a block. `to` is in lower case, null for a deployment. */
export type MinedTransaction = { hash: Hex; block: number; to: Hex | null; data: Hex; valueWei: bigint }

/** Blocks before the head that are searched: few servers have older states. */
const SEARCHED_BLOCKS = 8_192

/**
 * The transaction that used a nonce of an account, read from its block, which does not need a server's index of transactions.
 *
 * @param head - block in which the nonce is used.
 * @returns null if it is not found, or was not provably signed by the account: an endpoint cannot invent one.
 */
export async function minedAt(
  { rpc, rpcUrl }: ChainClient,
  address: Address,
  nonce: number,
  head: number,
): Promise<MinedTransaction | null> {
  return callChain(rpcUrl, async () => {
    const block = await blockOf(rpc, address, nonce, head)
    if (block === null) return null
    const { transactions } = await rpc.getBlock({ blockNumber: BigInt(block), includeTransactions: true })
    const isOurs = (one: Transaction) => one.from.toLowerCase() === address.toLowerCase() && one.nonce === nonce
    const found = transactions.find(isOurs)
    if (found === undefined || !(await isSignedBy(address, found))) return null
    const { hash, to, input, value } = found
    return { hash, block, to: to === null ? null : (to.toLowerCase() as Hex), data: input, valueWei: value }
  }).catch(error => {
    if (error instanceof ChainUnreachableError && lacksState(error.message)) return null
    throw error
  })
}

/** The block that used the nonce: the first after which the account's next nonce is higher. */
async function blockOf(rpc: ChainClient['rpc'], address: Address, nonce: number, head: number) {
  const isUsedAt = async (block: number) =>
    (await rpc.getTransactionCount({ address, blockNumber: BigInt(block) })) > nonce
  let used = head
  let unused = head
  for (let back = 8; unused === used; back *= 2) {
    if (used === 0 || back > SEARCHED_BLOCKS) return null
    const block = Math.max(0, head - back)
    if (await isUsedAt(block)) used = unused = block
    else unused = block
  }
  while (used - unused > 1) {
    const middle = (used + unused) >> 1
    if (await isUsedAt(middle)) used = middle
    else unused = middle
  }
  return used
}

async function isSignedBy(address: Address, transaction: Transaction): Promise<boolean> {
  const { r, s, v, yParity, input, ...fields } = transaction
  try {
    const serialized = serializeTransaction(
      { ...fields, data: input } as Parameters<typeof serializeTransaction>[0],
      {
        ...{ r, s },
        ...(transaction.type === 'legacy' ? { v } : { yParity: yParity ?? Number(v) }),
      } as Parameters<typeof serializeTransaction>[1],
    )
    if (keccak256(serialized) !== transaction.hash) return false
    const signer = await recoverTransactionAddress({ serializedTransaction: serialized as `0x02${string}` })
    return signer.toLowerCase() === address.toLowerCase()
  } catch {
    return false // not a transaction that can be encoded
  }
}
