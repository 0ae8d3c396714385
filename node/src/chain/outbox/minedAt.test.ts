import { createPublicClient, custom, keccak256, parseTransaction, RpcRequestError, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { minedAt } from './minedAt.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const stranger = privateKeyToAccount(`0x${'02'.repeat(32)}`)
const to = `0x${'bb'.repeat(20)}` as const
const unsigned = { chainId: 1, to, value: 7n, gas: 21_000n, nonce: 3, data: '0x01' } as const
const FEES = { eip1559: { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }, legacy: { gasPrice: 2n } }

const pruned = () => new RpcRequestError({ body: {}, error: { code: -32000, message: 'missing trie node' }, url: '' })

/** A chain of 100 blocks whose account used nonce 3 in block `at`. `from` is what its endpoint calls the sender. */
async function chainWith(signer = account, at = 40, type: 'eip1559' | 'legacy' = 'eip1559', states = 100) {
  const raw = await signer.signTransaction({ ...unsigned, ...FEES[type], type } as Parameters<
    typeof signer.signTransaction
  >[0])
  const { gas = 0n, value = 0n, v, r, s, yParity, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(raw)
  const quantities = { gas, value, gasPrice, maxFeePerGas, maxPriorityFeePerGas, v: v ?? BigInt(yParity ?? 0) }
  const hex = Object.entries(quantities).flatMap(([key, of]) => (of === undefined ? [] : [[key, toHex(of)]]))
  const transaction = {
    ...{ hash: keccak256(raw), from: account.address, to, input: '0x01', nonce: '0x3', chainId: '0x1', r, s },
    ...{
      type: type === 'legacy' ? '0x0' : '0x2',
      accessList: [],
      yParity: toHex(yParity ?? 0),
      ...Object.fromEntries(hex),
    },
  }
  const asked: string[] = []
  const rpc = createPublicClient({
    transport: custom(
      {
        async request({ method, params: [first, second] }: { method: string; params: [string, string] }) {
          asked.push(method)
          if (method === 'eth_getBlockByNumber')
            return { number: first, timestamp: '0x1', transactions: Number(first) === at ? [transaction] : [] }
          if (Number(second) < 100 - states) throw pruned()
          return Number(second) >= at ? '0x4' : '0x3'
        },
      },
      { retryCount: 0 },
    ),
  })
  return { found: await minedAt({ rpc, rpcUrl: '' }, account.address, 3, 100), hash: transaction.hash, asked }
}

test.each([1, 40, 99, 100])('the transaction of block %i that used a nonce is found', async at => {
  const { found, hash, asked } = await chainWith(account, at)
  expect(found).toEqual({ hash, block: at, to, data: '0x01', valueWei: 7n })
  expect(asked.length).toBeLessThan(16)
})

test('a legacy transaction of the account is proven, too', async () => {
  expect((await chainWith(account, 40, 'legacy')).found?.block).toBe(40)
})

test('a transaction that the account has not signed proves nothing, whatever sender the endpoint names', async () => {
  expect((await chainWith(stranger)).found).toBeNull()
})

test('a server without the states of that time leaves it unknown', async () => {
  expect((await chainWith(account, 40, 'eip1559', 32)).found).toBeNull()
})
