import { predictionMarketAbi as abi } from '@waggle/deployments/abi/predictionMarket'
import { createConfig, custom } from '@wagmi/core'
import { decodeFunctionData, encodeErrorResult, encodeFunctionResult, type Hex, HttpRequestError, padHex } from 'viem'
import { foundry } from 'viem/chains'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Network } from '#sources/network.ts'
import { watchHoldings } from './watchHoldings.ts'

const account = padHex('0xa', { size: 20 })
const market = padHex('0xb', { size: 20 })

/** A game by the number of its phase, and the answers to simulated claims: payouts, or failures. The last one stays. */
interface Scene {
  phase: number
  claims: (bigint | Error)[]
  claimableOf?: bigint
  stake?: bigint
}

/** Claimable amounts that are told, answer by answer, while so many seconds pass. */
async function claimable({ phase, claims, claimableOf = 0n, stake = 4n }: Scene, seconds = 0): Promise<bigint[]> {
  const results: Record<string, unknown> = {
    ...{ positionOf: [stake, stake], choiceOf: [4n, 4n], creditOf: 0n },
    ...{ phaseOf: phase, claimableOf },
  }
  const resultOf = (functionName: string) => {
    if (functionName !== 'claim') return results[functionName]
    const claim = claims.length > 1 ? claims.shift() : claims[0]
    if (claim instanceof Error) throw claim
    return claim
  }
  const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
    if (method !== 'eth_call') return '0x7a69'
    const { from, data } = params[0] as { from?: Hex; data: Hex }
    const { functionName } = decodeFunctionData({ abi, data })
    if (functionName === 'claim') expect(from).toBe(account)
    return encodeFunctionResult({ abi, functionName, result: resultOf(functionName) } as never)
  }
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const transports = { [foundry.id]: custom({ request }, { retryCount: 0 }) }
  const config = createConfig({ chains: [foundry], transports })
  const chain = { config, network: { chainId: foundry.id, market } as Network }
  const told: bigint[] = []
  const { stop } = watchHoldings(chain, { account, gameId: 0n, choices: [0], feeBps: 0 }, found =>
    told.push(found.claimable),
  )
  onTestFinished(stop)
  await vi.advanceTimersByTimeAsync(1_000 * seconds)
  return told
}

const refused = (code: number, data?: Hex) => Object.assign(new Error('VM execution error.'), { code, data })
const nothing = encodeErrorResult({
  ...{ abi, errorName: 'PredictionMarket_NothingToClaim', args: [0n, padHex(account)] },
})
const DUE = 7

test('a game that is due to end offers its payout, since a claim ends it', async () => {
  expect(await claimable({ phase: DUE, claims: [16n] }, 60)).toEqual([16n])
  expect(await claimable({ phase: DUE, claims: [refused(3, nothing)] }, 60)).toEqual([0n])
})

test('a claim that fails for want of an answer is tried again, and what the account holds is told meanwhile', async () => {
  const limited = new HttpRequestError({ url: 'http://chain', status: 429 })
  expect(await claimable({ phase: DUE, claims: [limited, 16n] }, 60)).toEqual([0n, 16n])
})

test('a refusal in words of an endpoint is asked about less and less often, and only for an account with bets', async () => {
  const claims = [refused(-32015)]
  expect(await claimable({ phase: DUE, claims }, 62)).toEqual(Array(7).fill(0n))
  expect(await claimable({ phase: DUE, claims, stake: 0n }, 62)).toEqual([0n])
})

test('of another game nothing is claimed that could be refused', async () => {
  const claims = [refused(-32015)]
  expect(await claimable({ phase: 2, claims }, 60)).toEqual([0n])
  expect(await claimable({ phase: 8, claims, claimableOf: 9n }, 60)).toEqual([9n])
})
