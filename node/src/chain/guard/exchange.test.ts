import { RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { AskedTooOftenError } from '../chainErrors.ts'
import type { RpcCall } from './answers.ts'
import { type Bend, fault, reverting, setup } from './chainGuardScene.ts'

test.each([
  ['eth_sendRawTransaction', 'method not available', -32601],
  ['eth_sendRawTransaction', 'txpool is full', -32000],
  ['eth_estimateGas', 'internal error', -32603],
  ['eth_getLogs', 'Archive requests require a personal token', null],
])('%s that the first endpoint refuses with "%s" is asked of the second', async (method, message, code) => {
  const names = ['https://one.example', 'https://two.example']
  const { guard, bend, pass, said } = setup(names)
  const refuse = () => {
    if (code === null) return fault(message)()
    throw new RpcRequestError({ body: { method }, error: { code, message }, url: 'https://one.example' })
  }
  bend((call, honest) => (call.method === method ? refuse() : honest()))
  bend((call, honest) => (call.method === method ? '0x5' : honest()), names[1])
  expect(await pass(5, guard.request({ method, params: ['0x02'] }))).toBe('0x5')
  expect(said()).toEqual([])
})

const lacking = (method: string) => {
  const error = { code: -32601, message: 'method not available' }
  throw new RpcRequestError({ body: { method }, error, url: 'https://one.example' })
}

const tooOften = () => {
  throw new AskedTooOftenError('too many requests', { hint: 'ask later', retryable: true })
}

test('an endpoint that stays without the newest block is not asked for what the first one fails at', async () => {
  const names = ['https://one.example', 'https://two.example']
  const { clock, guard, bend, pass, said, block } = setup(names)
  const { number } = await guard.readHead()
  let faults = 1
  bend(({ method }, honest) =>
    method !== 'eth_getLogs' ? honest() : faults-- > 0 ? fault('HTTP status 502')() : 'all',
  )
  bend(({ method, params }, honest) => {
    if (method === 'eth_getLogs') return 'events up to four blocks ago'
    return (params as unknown[])[0] === 'latest' ? block(number - 4) : honest()
  }, names[1])
  const call = { method: 'eth_getLogs', params: [{}] }
  expect(await pass(5, guard.request(call))).toBe('all')
  faults = Number.POSITIVE_INFINITY
  const sinceMs = clock.nowMs()
  await expect(pass(20, guard.request(call))).rejects.toThrow('HTTP status 502')
  expect(clock.nowMs() - sinceMs).toBeGreaterThan(14_000)
  expect(said()).toEqual([])
})

test.each([0, 1, 2, 5])(
  'an endpoint that is always %i blocks late is asked what the first one fails at',
  async late => {
    const names = ['https://one.example', 'https://two.example']
    const { guard, bend, pass, newest, block } = setup(names)
    bend(({ method }, honest) => (method === 'eth_getLogs' ? fault('Archive requests require a token')() : honest()))
    bend(({ method, params }, honest) => {
      if (method === 'eth_getLogs') return newest() - late
      return (params as unknown[])[0] === 'latest' ? block(newest() - late) : honest()
    }, names[1])
    for (let calls = 0; calls < 5; calls++) {
      const { number } = (await pass(1, guard.readHead())) as { number: number }
      expect(await pass(20, guard.request({ method: 'eth_getLogs', params: [{}] }))).toBeGreaterThanOrEqual(number)
    }
  },
)

test.each([
  ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x60' }]],
  ['eth_call', [{ to: '0x01', data: '0x' }, '0x60']],
  ['eth_getBlockByNumber', ['0x60', false]],
])('a late endpoint is asked at once for %s of a block that it has', async (method, params) => {
  const names = ['https://one.example', 'https://two.example']
  const { clock, guard, bend, pass, newest, block } = setup(names)
  await guard.readHead()
  const isAsked = (call: RpcCall) => call.method === method && JSON.stringify(call.params) === JSON.stringify(params)
  bend((call, honest) => (isAsked(call) ? fault('Archive requests require a token')() : honest()))
  bend((call, honest) => {
    if (isAsked(call)) return 'answer'
    return (call.params as unknown[])[0] === 'latest' ? block(newest() - 4) : honest()
  }, names[1])
  const sinceMs = clock.nowMs()
  expect(await pass(20, guard.request({ method, params }))).toBe('answer')
  expect(clock.nowMs() - sinceMs).toBeLessThan(2_000)
})

test('a late endpoint decides no estimate that the first one cannot make, and delays none', async () => {
  const names = ['https://one.example', 'https://two.example']
  const { clock, guard, bend, pass, said, newest, block } = setup(names)
  await guard.readHead()
  const begins = newest() + 1
  bend(({ method }, honest) => (method === 'eth_estimateGas' ? lacking(method) : honest()))
  let late = 3
  let isValid = true
  bend(({ method, params }, honest) => {
    const own = newest() - late
    if (method === 'eth_estimateGas') return isValid && own >= begins ? '0x5208' : reverting('0x12345678')()
    return (params as unknown[])[0] === 'latest' ? block(own) : honest()
  }, names[1])
  while (newest() < begins) await pass(0.25)
  const sinceMs = clock.nowMs()
  const estimate = async () => {
    await guard.readHead()
    return guard.request({ method: 'eth_estimateGas', params: [{}] })
  }
  await expect(pass(15, estimate())).rejects.toThrow('method not available')
  late = 0
  expect(await pass(15, estimate())).toBe('0x5208')
  late = 1
  isValid = false
  await expect(pass(15, estimate())).rejects.toThrow('method not available')
  late = 0
  await expect(pass(15, estimate())).rejects.toThrow('execution reverted')
  expect(clock.nowMs()).toBe(sinceMs)
  expect(said()).toEqual([])
})

test('a limit on the rate of requests is waited out, unless another endpoint answers, and reaches the caller after a minute', async () => {
  const names = ['https://one.example', 'https://two.example']
  const { clock, guard, bend, pass, said } = setup(names.slice(0, 1))
  const call = { method: 'eth_getLogs', params: [{}] }
  await guard.check()
  const freeMs = clock.nowMs() + 40_000
  const asked: number[] = []
  const limited: Bend = ({ method }, honest) => {
    if (method !== 'eth_getLogs') return honest()
    asked.push(clock.nowMs())
    return clock.nowMs() < freeMs ? tooOften() : 'events'
  }
  bend(limited)
  expect(await pass(70, guard.request(call))).toBe('events')
  const pauses = asked.slice(1).map((atMs, at) => Math.round((atMs - (asked[at] ?? 0)) / 1000))
  expect(pauses).toEqual([1, 2, 4, 8, 16, 30])
  bend(({ method }, honest) => (method === 'eth_getLogs' ? tooOften() : honest()))
  await expect(pass(70, guard.request(call))).rejects.toThrow('too many requests')
  expect(said()).toEqual([])

  const two = setup(names)
  two.bend(({ method }, honest) => (method === 'eth_getLogs' ? tooOften() : honest()))
  two.bend(({ method }, honest) => (method === 'eth_getLogs' ? 'events' : honest()), names[1])
  expect(await two.pass(1, two.guard.request(call))).toBe('events')
})

test('an answer to a transaction in known words is not asked of another endpoint', async () => {
  const names = ['https://one.example', 'https://two.example']
  const { guard, bend, pass, asked } = setup(names)
  bend(() => {
    throw new RpcRequestError({ body: {}, error: { code: -32000, message: 'nonce too low' }, url: '' })
  })
  const sent = guard.request({ method: 'eth_sendRawTransaction', params: ['0x02'] })
  await expect(pass(5, sent)).rejects.toThrow('nonce too low')
  expect(asked).toEqual(['https://one.example'])
})
