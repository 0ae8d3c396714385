import { predictionMarketAbi } from '@waggle/deployments/abi/predictionMarket'
import { connect, createConfig, createStorage, custom, injected, reconnect } from '@wagmi/core'
import { decodeFunctionData, encodeFunctionResult, erc20Abi, type Hex, padHex } from 'viem'
import { foundry } from 'viem/chains'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Network } from '#sources/network.ts'
import type { Chain } from '../ChainProvider.tsx'
import { sendInOrder } from '../sendCall.ts'
import { betCalls } from './betCalls.ts'

const [account, market, token] = [0xa, 0xb, 0xc].map(digit => padHex(`0x${digit.toString(16)}`, { size: 20 })) as [
  Hex,
  Hex,
  Hex,
]
const abi = [...predictionMarketAbi, ...erc20Abi]

afterEach(() => vi.unstubAllGlobals())

/** A market that pays so much by now, and a wallet that signs everything. */
async function scene(paysNow: bigint, allowance = 10n) {
  const signed: string[] = []
  const results: Record<string, unknown> = {
    token,
    allowance,
    balanceOf: 10n,
    quote: [1n, paysNow],
    bet: 1n,
    approve: true,
  }
  const answer = (data: Hex) => {
    const { functionName } = decodeFunctionData({ abi, data })
    return encodeFunctionResult({ abi, functionName, result: results[functionName] } as never)
  }
  /** How calls end, once they are asked for; null while they wait for a block. */
  const mined: { status: Hex | null; asked: number } = { status: '0x1', asked: 0 }
  let unlocked = Promise.resolve()
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (method.endsWith('ccounts')) await unlocked
    const { data } = (params?.[0] ?? {}) as { data: Hex }
    if (method === 'eth_sendTransaction')
      return padHex(`0x${signed.push(decodeFunctionData({ abi, data }).functionName)}`)
    if (method === 'eth_call') return answer(data)
    if (method === 'eth_getTransactionReceipt') mined.asked += 1
    if (method === 'eth_getTransactionReceipt')
      return mined.status && { status: mined.status, blockNumber: '0x1', logs: [] }
    if (method === 'eth_blockNumber') return mined.status === null ? '0x1' : '0x2'
    if (method === 'eth_getBlockByNumber') return { number: '0x1', transactions: [] }
    return method === 'eth_chainId' ? '0x7a69' : method.endsWith('ccounts') ? [account] : '0x1'
  }
  vi.stubGlobal('window', { ethereum: { request, on: () => {}, removeListener: () => {} }, addEventListener: () => {} })
  const transports = { [foundry.id]: custom({ request }, { retryCount: 0 }) }
  const stored = new Map<string, string>()
  const storage = createStorage({
    storage: {
      getItem: key => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: key => void stored.delete(key),
    },
  })
  const visit = () =>
    createConfig({
      ...{ chains: [foundry], connectors: [injected()], transports, storage },
      ...{ multiInjectedProviderDiscovery: false, pollingInterval: 1 },
    })
  const chainOf = (config: ReturnType<typeof visit>) =>
    ({ config, network: { chainId: foundry.id, market } as Network }) satisfies Chain
  const config = visit()
  await connect(config, { connector: config.connectors[0] ?? injected() })
  /** The page once more, while the wallet is locked. */
  const reload = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    unlocked = promise
    const again = visit()
    await expect.poll(() => again.state.current).not.toBeNull()
    const reconnected = reconnect(again)
    return { chain: chainOf(again), reconnected, unlock: resolve }
  }
  return { signed, mined, chain: chainOf(config), reload }
}

const bet = { gameId: 0n, round: 0, choice: 0, stake: 10n, what: '10 on it', shown: { shares: 1n, payout: 210n } }

test('a bet that pays less by now than its ticket showed is not signed, and the ticket is told', async () => {
  const { chain, signed } = await scene(207n)
  const told: bigint[] = []
  const calls = () => betCalls(chain, account, { ...bet, onFallen: ({ payout }) => told.push(payout) })
  expect(await sendInOrder(chain, calls, () => {})).toContain('It would now pay')
  expect({ signed, told }).toEqual({ signed: [], told: [207n] })
})

test('a bet is possible although minimum bets of others use up part of the limit', async () => {
  const { chain, signed } = await scene(208n)
  expect(
    await sendInOrder(
      chain,
      () => betCalls(chain, account, { ...bet, onFallen: () => {} }),
      () => {},
    ),
  ).toBeNull()
  expect(signed).toEqual(['bet'])
})

test('a bet whose approval is refused is not sent, and the reader sees why', async () => {
  const { chain, signed, mined } = await scene(210n, 0n)
  mined.status = '0x0'
  const calls = () => betCalls(chain, account, { ...bet, onFallen: () => {} })
  expect(await sendInOrder(chain, calls, () => {})).toContain('“Bet 10 on it in game 0” was not sent')
  expect(signed).toEqual(['approve'])
})

test('a bet that is clicked before the wallet of the last visit has reconnected waits for it, but not forever', async () => {
  const { signed, reload } = await scene(210n)
  const { chain, reconnected, unlock } = await reload()
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const place = () =>
    sendInOrder(
      chain,
      () => betCalls(chain, account, { ...bet, onFallen: () => {} }),
      () => {},
    )
  const first = place()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await first).toContain('does not answer')

  const second = place()
  await vi.advanceTimersByTimeAsync(19_000)
  unlock()
  await reconnected
  vi.useRealTimers()
  expect(await second).toBeNull()
  expect(signed).toEqual(['bet'])
})

test('a bet that waits for its block is not over, since the same one could be signed again', async () => {
  const { chain, signed, mined } = await scene(210n)
  mined.status = null
  let isOver = false
  const sending = sendInOrder(
    chain,
    () => betCalls(chain, account, { ...bet, onFallen: () => {} }),
    () => {},
  ).finally(() => {
    isOver = true
  })
  await expect.poll(() => mined.asked).toBeGreaterThan(0)
  expect({ signed, isOver }).toEqual({ signed: ['bet'], isOver: false })
  mined.status = '0x0'
  expect(await sending).toBe('“Bet 10 on it in game 0” was not done.')
})

test('a bet that is in no block for two minutes is over, with that for a reason', async () => {
  const { chain, mined } = await scene(210n)
  mined.status = null
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sending = sendInOrder(
    chain,
    () => betCalls(chain, account, { ...bet, onFallen: () => {} }),
    () => {},
  )
  await vi.advanceTimersByTimeAsync(130_000)
  expect(await sending).toBe('“Bet 10 on it in game 0” is not in a block yet.')
})

test('a bet like one that is still in no block is not signed', async () => {
  const { chain, signed, mined } = await scene(210n)
  mined.status = null
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const place = (waiting: Hex[]) =>
    sendInOrder(
      chain,
      () => betCalls(chain, account, { ...bet, onFallen: () => {} }),
      () => {},
      ({ what }) => (what === 'Bet 10 on it in game 0' ? waiting : []),
    )
  const again = place([`0x${'ab'.repeat(32)}`])
  await vi.advanceTimersByTimeAsync(4_000)
  expect(await again).toContain('“Bet 10 on it in game 0” was sent before')
  expect(signed).toEqual([])
  mined.status = '0x1'
  vi.useRealTimers()
  expect(await place([`0x${'cd'.repeat(32)}`])).toContain('“Bet 10 on it in game 0” has just been done')
  expect(signed).toEqual([])
  mined.status = '0x0'
  expect(await place([`0x${'ef'.repeat(32)}`])).toBe('“Bet 10 on it in game 0” was not done.')
  expect(signed).toEqual(['bet'])
})

test('the same stake on a choice of the same name in another game is another call', async () => {
  const { chain } = await scene(210n, 0n)
  const whats = async (gameId: bigint) =>
    (await betCalls(chain, account, { ...bet, gameId, onFallen: () => {} })).map(({ what }) => what)
  expect(await whats(3n)).toEqual(['Let the market take 10 on it in game 3', 'Bet 10 on it in game 3'])
  expect(await whats(4n)).toEqual(['Let the market take 10 on it in game 4', 'Bet 10 on it in game 4'])
})

test('a chain that does not answer before a bet is a reason like any other', async () => {
  const { chain } = await scene(210n)
  expect(
    await sendInOrder(
      chain,
      () => Promise.reject(new Error('offline')),
      () => {},
    ),
  ).toBe('offline')
})
