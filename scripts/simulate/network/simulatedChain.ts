import { decodeFunctionData, keccak256, stringToHex } from 'viem'
import type { Contracts } from '../../../node/src/chain/contracts.ts'
import { gasLimitFor, type OutboxRpc, type UnsignedTransaction } from '../../../node/src/chain/outbox/outboxRpc.ts'
import { NO_REASON, revertedWith } from '../../../node/src/chain/revertedWith.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import type { SimulatedTime } from './simulatedTime.ts'
import { type Block, type Call, SwarmContracts, type Terms } from './swarmContracts.ts'

type Transaction = Pick<UnsignedTransaction, 'to' | 'data' | 'nonce' | 'gas' | 'maxFeePerGasWei'> & {
  hash: Hex
  from: Hex
  call: Call
}
type Mined = Block & { transactions: Transaction[] }
type Receipt = { block: number; succeeded: boolean; gasUsed: bigint }

/** An endpoint as an outbox needs it. */
type OutboxEndpoint = {
  readonly fault: string | null
  delayed<T>(work: () => T, calls?: number): Promise<T>
  quantity(method: string, value: number | bigint): bigint
}

const BLOCK_GAS = 30_000_000n
/** Of every account. */
export const BALANCE_WEI = 10n ** 18n

/** One chain, with a pool, that mines blocks at equal times and can be reorganised. */
export class SimulatedChain {
  contracts: SwarmContracts
  /** Signatures that were not computed. */
  signatures = 0
  reorganised = 0
  private readonly terms: Terms
  private readonly time: SimulatedTime
  private readonly abis: ReadonlyMap<string, Contracts['rounds'] | Contracts['rewardVotes']>
  private readonly seed: string
  private blocks: Mined[]
  private pool = new Map<Hex, Transaction>()
  private readonly signed = new Map<Hex, Transaction>()
  private nonces = new Map<Hex, number>()
  private receipts = new Map<Hex, Receipt>()
  private forks = 0

  constructor(terms: Terms, contracts: Contracts, seed: string, time: SimulatedTime) {
    this.terms = terms
    this.time = time
    this.seed = seed
    this.contracts = new SwarmContracts(terms)
    const named = Object.values(contracts).filter(one => typeof one === 'object')
    this.abis = new Map(named.map(one => [one.address.toLowerCase(), one as Contracts['rounds']]))
    this.blocks = [this.blockAt(0, Math.floor(time.nowMs() / 1000), [])]
    this.mineNext()
  }

  get head(): Block {
    return this.blocks.at(-1) as Mined
  }

  block(number: number): Block | undefined {
    return this.blocks[number]
  }

  /** Takes back the newest blocks and makes as many others, in which their transactions are not, and one more. */
  reorganise(depth: number): void {
    const from = Math.max(1, this.blocks.length - depth)
    const taken = this.blocks.splice(from)
    this.forks += 1
    this.reorganised += taken.length
    this.contracts = new SwarmContracts(this.terms)
    this.nonces = new Map()
    this.receipts = new Map()
    for (const block of this.blocks) for (const one of block.transactions) this.execute(one, block)
    for (const { number, timeSec } of taken) this.blocks.push(this.blockAt(number, timeSec, []))
    // Transactions of removed blocks do not return to the pool: their senders have to notice.
    this.mine()
  }

  /** Calls of an account's outbox over an endpoint, which may lie about reverts and quantities. */
  outboxRpc(address: Hex, endpoint: OutboxEndpoint): OutboxRpc {
    const delayed: OutboxEndpoint['delayed'] = (work, calls) => endpoint.delayed(work, calls)
    const count = (nonce: number) => Number(endpoint.quantity('eth_getTransactionCount', nonce))
    const latest = () => this.nonces.get(address) ?? 0
    const pending = () => {
      const waiting = [...this.pool.values()].filter(one => one.from === address)
      return Math.max(latest(), ...waiting.map(({ nonce }) => nonce + 1))
    }
    return {
      address,
      latestNonce: () => delayed(() => count(latest())),
      nonces: () => delayed(() => ({ latest: count(latest()), pending: count(pending()) }), 2),
      simulate: ({ to, data }) =>
        delayed(() => {
          if (endpoint.fault === 'reverted') return { revertedWith: NO_REASON }
          try {
            const next = {
              ...this.head,
              number: this.head.number + 1,
              timeSec: this.head.timeSec + this.terms.blockSec,
            }
            this.contracts.prepare(this.decode(address, to, data), next, number => this.block(number)?.hash)
            return { gas: gasLimitFor(endpoint.quantity('eth_estimateGas', 100_000n)) }
          } catch (error) {
            const reason = revertedWith(error)
            if (reason === null) throw error
            return { revertedWith: reason }
          }
        }),
      fees: () =>
        delayed(() => {
          const priority = endpoint.quantity('eth_maxPriorityFeePerGas', 1n)
          return { maxFeePerGasWei: 1n + priority, maxPriorityFeePerGasWei: priority }
        }, 2),
      balance: () => delayed(() => endpoint.quantity('eth_getBalance', BALANCE_WEI)),
      sign: async unsigned => this.sign(address, unsigned),
      send: raw =>
        delayed(() => {
          const transaction = this.signed.get(raw) as Transaction
          if (this.receipts.has(transaction.hash)) return 'nonce too low'
          if (transaction.nonce < latest()) return 'nonce too low'
          if (transaction.gas > BLOCK_GAS) return { refused: 'exceeds block gas limit' }
          if (transaction.gas * transaction.maxFeePerGasWei > BALANCE_WEI) return 'no funds'
          this.pool.set(transaction.hash, transaction)
          return 'accepted'
        }),
      receipt: hash => delayed(() => this.receipts.get(hash) ?? null),
      minedAt: nonce =>
        delayed(() => {
          for (const { number, transactions } of this.blocks)
            for (const { from, nonce: its, hash, to, data } of transactions)
              if (from === address && its === nonce)
                return { hash, block: number, to: to.toLowerCase() as Hex, data, valueWei: 0n }
          return null
        }, 8),
      revertReason: () => delayed(() => 'a revert'),
    }
  }

  private sign(from: Hex, { to, data, nonce, gas, maxFeePerGasWei }: UnsignedTransaction): { hash: Hex; raw: Hex } {
    this.signatures += 1
    const hash = keccak256(stringToHex(`${from} ${to} ${data} ${nonce} ${gas} ${maxFeePerGasWei}`))
    if (!this.signed.has(hash))
      this.signed.set(hash, { hash, from, to, data, nonce, gas, maxFeePerGasWei, call: this.decode(from, to, data) })
    return { hash, raw: hash }
  }

  private decode(from: Hex, to: Hex, data: Hex): Call {
    if (data === '0x') return { from, functionName: 'gap', args: [] }
    const abi = this.abis.get(to.toLowerCase())?.abi as Contracts['rounds']['abi']
    const { functionName, args = [] } = decodeFunctionData({ abi, data })
    return { from, functionName, args }
  }

  private mineNext(): void {
    this.time.after(this.terms.blockSec * 1000, () => {
      this.mine()
      this.mineNext()
    })
  }

  private mine(): void {
    const transactions: Transaction[] = []
    const block = this.blockAt(this.blocks.length, Math.floor(this.time.nowMs() / 1000), transactions)
    this.blocks.push(block)
    const waiting = [...this.pool.values()].sort((a, b) => a.nonce - b.nonce)
    for (const one of waiting) {
      const nonce = this.nonces.get(one.from) ?? 0
      if (one.nonce > nonce) continue
      this.pool.delete(one.hash)
      if (one.nonce < nonce) continue
      transactions.push(one)
      this.execute(one, block)
    }
  }

  private execute({ hash, from, nonce, call }: Transaction, block: Block): void {
    this.nonces.set(from, nonce + 1)
    let succeeded = true
    try {
      this.contracts.prepare(call, block, number => this.blocks[number]?.hash)()
    } catch (error) {
      if (revertedWith(error) === null) throw error
      succeeded = false
    }
    this.receipts.set(hash, { block: block.number, succeeded, gasUsed: 0n })
  }

  private blockAt(number: number, timeSec: number, transactions: Transaction[]): Mined {
    const hash = keccak256(stringToHex(`${this.seed} ${this.forks} ${number}`))
    return { number, timeSec, hash, transactions }
  }
}
