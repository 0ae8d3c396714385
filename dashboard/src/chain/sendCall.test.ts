import { createConfig, custom } from '@wagmi/core'
import { numberToHex, padHex } from 'viem'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import { outcomeOf } from './sendCall.ts'

const word = (value: number) => padHex(numberToHex(value))
const HASH = word(1)
const ACCOUNT = padHex('0xa', { size: 20 })
const MARKET = padHex('0xb', { size: 20 })

const sent = (hash: `0x${string}`, to: string, input: string) => ({
  ...{ hash, to, input, from: ACCOUNT, nonce: '0x5', type: '0x2', chainId: '0x7a69' },
  ...{ value: '0x0', gas: '0x5208', maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1', accessList: [] },
})
type Sent = ReturnType<typeof sent>

/** A chain of one block with one transaction in it; the one that is followed is known to it otherwise as well. */
function chainWith(mined: Sent, status: '0x0' | '0x1', followed: Sent = mined, failures = 0) {
  const block = { number: '0x7', hash: word(7), timestamp: '0x1', transactions: [{ ...mined, blockNumber: '0x7' }] }
  const receipt = { ...{ transactionHash: mined.hash, status, blockNumber: '0x7', blockHash: word(7) }, logs: [] }
  const answers: Record<string, (hash: unknown) => unknown> = {
    eth_blockNumber: () => '0x7',
    eth_getBlockByNumber: () => block,
    eth_getTransactionReceipt: hash => (hash === mined.hash ? receipt : null),
    eth_getTransactionByHash: hash => (hash === followed.hash ? followed : null),
    eth_call: () => '0x',
  }
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (method === 'eth_getTransactionReceipt' && failures-- > 0) throw new Error('502 Bad Gateway')
    return answers[method]?.(params?.[0]) ?? null
  }
  const config = createConfig({
    chains: [foundry],
    pollingInterval: 1,
    transports: { [foundry.id]: custom({ request }, { retryCount: 0 }) },
  })
  return outcomeOf({ config }, HASH)
}

const bet = sent(HASH, MARKET, '0x01')

test('a call that its contract refuses once it is mined has that outcome', async () => {
  expect(await chainWith(bet, '0x1')).toBe('mined')
  expect(await chainWith(bet, '0x0')).toBe('reverted')
})

test('a replacement that cancels a call is recognised, and one with another fee counts as the call', async () => {
  expect(await chainWith(sent(word(2), ACCOUNT, '0x'), '0x1', bet)).toBe('replaced')
  expect(await chainWith(sent(word(2), MARKET, '0x02'), '0x1', bet)).toBe('replaced')
  expect(await chainWith(sent(word(2), MARKET, '0x01'), '0x1', bet)).toBe('mined')
})

test('a chain that fails to answer is asked again', async () => {
  expect(await chainWith(bet, '0x1', bet, 2)).toBe('mined')
})
