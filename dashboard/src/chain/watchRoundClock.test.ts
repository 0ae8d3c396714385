import { NEVER_SEC } from '@waggle/deployments/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Network } from '#sources/network.ts'
import { selectors } from './readRounds.ts'
import { watchRoundClock } from './watchRoundClock.ts'

test('a round that is ended by hand is seen with the next block', async () => {
  const chain = { round: 7, sec: 1_000 }
  const numbers: Record<string, () => number> = {
    [selectors.currentRound]: () => chain.round,
    [selectors.startOf]: () => 1_000,
    [selectors.endOf]: () => NEVER_SEC,
    [selectors.FINALITY_ROUNDS]: () => 3,
  }
  const hex = (number = 0) => `0x${number.toString(16)}`
  vi.useFakeTimers()
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const { method, params } = JSON.parse(body)
    if (method === 'eth_chainId') return Response.json({ result: hex(1) })
    if (method === 'eth_getBlockByNumber') return Response.json({ result: { timestamp: hex(chain.sec) } })
    return Response.json({ result: hex(numbers[params[0].data.slice(0, 10)]?.()) })
  })
  const seen: unknown[] = []
  const network = { chainId: 1, rounds: '0x01', rpcOrigin: 'chain' } as unknown as Network
  const stop = watchRoundClock(network, clock => seen.push(clock.state === 'running' ? clock.round : clock.state))
  onTestFinished(() => {
    stop()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  await vi.advanceTimersByTimeAsync(0)
  Object.assign(chain, { round: 8, sec: 1_060 })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(seen).toEqual([7, 8])
})
