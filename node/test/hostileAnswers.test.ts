import { RpcRequestError } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { createChainGuard } from '#chain/guard/chainGuard.ts'
import { createEndpoint } from '#chain/guard/endpoint.ts'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { type FaultName, faultNames, KEY, startHostileEndpoint } from './hostileEndpoint.ts'
import { type LocalChain, startLocalChain } from './localChain.ts'

const address = '0x1212121212121212121212121212121212121212'
/** Every method that a peer or a command calls. `to` holds no contract, so that no answer to it but a lie is whole words. */
const CALLS = [
  { method: 'eth_chainId', params: [] },
  { method: 'eth_blockNumber', params: [] },
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_getBlockByNumber', params: ['0x0', false] },
  { method: 'eth_getCode', params: [address, 'latest'] },
  { method: 'eth_getBalance', params: [address, 'latest'] },
  { method: 'eth_getTransactionCount', params: [address, 'latest'] },
  { method: 'eth_gasPrice', params: [] },
  { method: 'eth_maxPriorityFeePerGas', params: [] },
  { method: 'eth_call', params: [{ to: address, data: '0x' }, 'latest'] },
  { method: 'eth_estimateGas', params: [{ from: address, to: address }] },
  { method: 'eth_getLogs', params: [{ address, fromBlock: '0x0', toBlock: '0x1' }] },
  { method: 'eth_getTransactionReceipt', params: [`0x${'ab'.repeat(32)}`] },
  { method: 'eth_sendRawTransaction', params: ['0x02'] },
]

/** Until the last byte of an answer. */
const TIMEOUT_MS = 400

let local: LocalChain
let hostile: Awaited<ReturnType<typeof startHostileEndpoint>>
beforeAll(async () => {
  local = await startLocalChain({ blockTimeSec: 1 })
  hostile = await startHostileEndpoint(local.rpcUrl)
})
afterAll(async () => {
  hostile.close()
  await local.stop()
})

/** An error as any log or command could show it. */
function shown(error: unknown): string {
  const parts: string[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    parts.push(
      at.message,
      JSON.stringify(
        at,
        Object.getOwnPropertyNames(at).filter(name => name !== 'stack'),
      ),
    )
  return parts.join('\n')
}

test.each(faultNames)(
  '%s: each call, alone and in a batch, ends in a checked result or an error of one short line',
  async name => {
    hostile.fail(name)
    const alone = CALLS.map(call => createEndpoint(hostile.url, { timeoutMs: TIMEOUT_MS }).ask(call))
    const { ask } = createEndpoint(hostile.url, { timeoutMs: TIMEOUT_MS })
    const outcomes = await Promise.allSettled([...alone, ...CALLS.map(ask)])
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue
      const { reason } = outcome
      expect(reason instanceof ChainUnreachableError || reason instanceof RpcRequestError, String(reason)).toBe(true)
      const said = reason instanceof RpcRequestError ? reason.details : reason.message
      expect(said).toMatch(/^[^\p{Cc}\p{Bidi_Control}]{1,400}$/u)
      expect(shown(reason)).not.toContain(KEY)
      expect(shown(reason)).not.toContain(Buffer.from(KEY).toString('hex'))
    }
  },
)

/** Faults that a single view cannot tell from an answer. */
const BELIEVED: ReadonlySet<FaultName> = new Set(['the largest word', '8 MiB'])
const view = {
  method: 'eth_call',
  params: [{ to: '0x0000000000000000000000000000000000000002', data: '0x' }, 'latest'],
}

test.each(faultNames)(
  '%s: a peer waits with few requests, ends at once when it is stopped, and resumes',
  async name => {
    hostile.fail(null)
    // The chain's blocks come a second apart, and simulated time passes faster: no jump is one of the endpoint's.
    const clock = createManualClock(Date.now())
    const stop = new AbortController()
    const endpoints = [createEndpoint(hostile.url, { timeoutMs: TIMEOUT_MS, clock })]
    const modules = { endpoints, clock, logger: silentLogger, signal: stop.signal }
    const guard = createChainGuard({ ...modules, identity: { chainId: 31_337, firstBlock: 0 } })
    await guard.readHead()
    const truth = await guard.request(view)
    hostile.fail(name)
    const before = hostile.requests()
    const calls = [guard.request(view), guard.readHead()]
    const settled = Promise.allSettled(calls)
    const ended = { all: false }
    settled.then(() => Object.assign(ended, { all: true }))
    /** Simulated seconds, as many as the calls take at most. */
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds && !ended.all; second++) {
        await new Promise(resolve => setTimeout(resolve, 4))
        clock.advance(1_000)
      }
    }
    await pass(60)
    // A check has three calls, which a batch that is refused multiplies; the pauses between checks double up to 30 s.
    expect(hostile.requests() - before).toBeLessThan(60)
    hostile.fail(null)
    await pass(120)
    const [read, head] = await settled
    if (read?.status === 'fulfilled' && !BELIEVED.has(name)) expect(read.value).toBe(truth)
    else if (read?.status === 'rejected')
      expect(read.reason).toMatchObject({ name: expect.stringMatching(/Rpc|Chain/) })
    expect(head).toMatchObject({ status: 'fulfilled', value: { number: expect.any(Number) } })
    hostile.fail('silence')
    const waiting = guard.request(view)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
  },
)
