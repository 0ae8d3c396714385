import { keccak256 } from 'viem'
import type { OutboxRpc, UnsignedTransaction } from '#chain/outbox/outboxRpc.ts'
import { type Hex, toHex } from '#core/hex.ts'

type Mined = { hash: Hex; data: Hex; succeeded: boolean; gasUsed: bigint }

/** Limit of every transaction. */
const GAS = 50_000n
const BLOCK_GAS = 30_000_000
/** Of every transaction. */
const TO = '0x00000000000000000000000000000000000000bb'

/** A chain with one account, as the outbox sees it, that a test can stop, reorganise and share with a stranger. */
export function createFakeChain() {
  const blocks: Mined[][] = []
  const pool = new Map<number, { hash: Hex; data: Hex; fee: number; gas: number }>()
  const reverting = new Set<Hex>()
  const starving = new Set<Hex>()
  const minedTransactions = () => blocks.flat()
  const latest = () => minedTransactions().length
  const costWei = ({ gas, fee }: { gas: number; fee: number }) => BigInt(gas) * BigInt(fee)
  /** Costs of what the pool has, without what one nonce replaces. */
  const pendingWei = (replaced: number) =>
    [...pool].reduce((sum, [nonce, one]) => (nonce === replaced ? sum : sum + costWei(one)), 0n)
  let round = 0
  let baseFee = 100n
  let balance = 10n ** 30n

  const rpc: OutboxRpc = {
    address: '0x00000000000000000000000000000000000000aa',
    latestNonce: async () => latest(),
    async nonces() {
      let pending = latest()
      while (pool.has(pending)) pending++
      return { latest: latest(), pending }
    },
    simulate: async ({ data }) => (reverting.has(data) ? { revertedWith: `Reverts(${data})` } : { gas: GAS }),
    balance: async () => balance,
    fees: async () => ({ maxFeePerGasWei: baseFee * 2n, maxPriorityFeePerGasWei: 1n }),
    async sign(transaction: UnsignedTransaction) {
      const { data, nonce, gas, maxFeePerGasWei } = transaction
      const fields = { data, nonce, gas: Number(gas), fee: Number(maxFeePerGasWei) }
      const raw = toHex(new TextEncoder().encode(JSON.stringify(fields)))
      return { hash: keccak256(raw), raw }
    },
    async send(raw) {
      const { data, nonce, gas, fee } = JSON.parse(Buffer.from(raw.slice(2), 'hex').toString())
      if (gas > BLOCK_GAS) return { refused: 'exceeds block gas limit' }
      if (nonce < latest()) return 'nonce too low'
      const hash = keccak256(raw)
      const there = pool.get(nonce)
      if (there?.hash === hash) return 'accepted'
      if (pendingWei(nonce) + costWei({ gas, fee }) > balance) return 'no funds'
      if (there !== undefined && fee < there.fee * 1.1) return 'underpriced'
      pool.set(nonce, { hash, data, fee, gas })
      return 'accepted'
    },
    async receipt(hash) {
      const block = blocks.findIndex(transactions => transactions.some(mined => mined.hash === hash))
      const mined = blocks[block]?.find(one => one.hash === hash)
      return mined === undefined ? null : { block, succeeded: mined.succeeded, gasUsed: mined.gasUsed }
    },
    async minedAt(nonce) {
      const found = minedTransactions()[nonce]
      const block = blocks.findIndex(transactions => transactions.some(({ hash }) => hash === found?.hash))
      return found === undefined ? null : { hash: found.hash, block, to: TO, data: found.data, valueWei: 0n }
    },
    revertReason: async ({ data }) => `Reverts(${data})`,
  }

  return {
    rpc,
    head: async () => ({ block: blocks.length - 1, round }),
    /** Mines what the pool holds in order of nonce, as far as the fees allow. */
    mine(count = 1) {
      for (let i = 0; i < count; i++) {
        const block: Mined[] = []
        for (let next = pool.get(latest()); next !== undefined; next = pool.get(latest() + block.length)) {
          if (next.fee < Number(baseFee)) break
          const { hash, data } = next
          const starves = starving.has(data)
          block.push({ hash, data, succeeded: !reverting.has(data) && !starves, gasUsed: starves ? GAS : GAS / 2n })
        }
        blocks.push(block)
        for (const nonce of pool.keys()) if (nonce < latest()) pool.delete(nonce)
      }
    },
    /** Forgets the newest blocks and the pool: a chain that was killed and started again. */
    lose(count: number) {
      blocks.splice(Math.max(0, blocks.length - count), count)
      pool.clear()
    },
    forgetPool: () => pool.clear(),
    /** A transaction of another process on the same account. */
    stranger(nonce: number, fee = 1000, data: Hex = '0xffff') {
      pool.set(nonce, { hash: keccak256(toHex(Uint8Array.of(nonce, fee % 256))), data, fee, gas: Number(GAS) })
    },
    reverting,
    /** Calls that run out of gas when they are mined. */
    starving,
    executed: (): Hex[] => minedTransactions().map(({ data }) => data),
    setRound: (next: number) => {
      round = next
    },
    setBaseFee: (fee: bigint) => {
      baseFee = fee
    },
    setBalance: (wei: bigint) => {
      balance = wei
    },
    poolSize: () => pool.size,
  }
}
