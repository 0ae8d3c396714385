import { RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { TooMuchAskedError } from '../chainErrors.ts'
import { type Bend, BLOCK_SEC, fault, HEAD, reverting, START_SEC, setup, VIEW } from './chainGuardScene.ts'

const YEAR_SEC = 31_536_000

test.each<[string, NonNullable<Bend>]>([
  ['refused connections', fault('no connection: ECONNREFUSED')],
  ['answers without a result', fault('an answer without a result')],
  [
    'another chain id',
    ({ method }, honest) => (method === 'eth_chainId' ? '0x8' : method === 'eth_call' ? fault('0x')() : honest()),
  ],
  [
    'another chain of the same id',
    ({ method, params }, honest) =>
      method === 'eth_call'
        ? fault('an answer that is not whole words')()
        : method === 'eth_getBlockByNumber' && (params as string[])[0] === '0x1'
          ? { number: '0x1', timestamp: '0x1', hash: `0x${'ee'.repeat(32)}` }
          : honest(),
  ],
])('%s are waited out, with a line at the start and one at the end', async (_, how) => {
  const { guard, bend, pass, said } = setup()
  await guard.check()
  expect(await guard.request(VIEW)).toMatch(/^0x0/)
  bend(how)
  const views = Promise.all([guard.request(VIEW), guard.request(VIEW), guard.request(VIEW)])
  expect(await pass(600, views)).toBe('waiting')
  bend(null)
  expect(await pass(31, views)).toHaveLength(3)
  expect(said()).toEqual([
    expect.stringMatching(/^WARN waiting for the chain endpoint=https:\/\/one.example reason=/),
    expect.stringMatching(/^INFO the chain answers again endpoint=https:\/\/one.example seconds=6\d\d$/),
  ])
})

test('while an endpoint is away it is asked ever more rarely', async () => {
  const { guard, bend, pass, asked } = setup()
  bend(fault('down'))
  const head = guard.request(HEAD)
  await pass(60, head)
  const early = asked.length
  await pass(300, head)
  // Each poll has three calls; one comes every 30 s by then.
  expect(asked.length - early).toBeLessThanOrEqual(33)
  expect(asked.length - early).toBeGreaterThan(24)
})

test('another chain behind the URL is found by the check of every minute, though all else answers', async () => {
  const { guard, bend, pass, said } = setup()
  await guard.check()
  bend(({ method }, honest) => (method === 'eth_chainId' ? '0x8' : honest()))
  await guard.readHead()
  await pass(61)
  const head = guard.readHead()
  expect(await pass(5, head)).toBe('waiting')
  expect(said()).toEqual([expect.stringContaining('reason=it serves the chain with id 8')])
  bend(null)
  expect(await pass(31, head)).toMatchObject({ number: expect.any(Number) })
})

test.each([
  ['a year ahead', YEAR_SEC, 0],
  ['a year back', -YEAR_SEC, 0],
  ['a million blocks up', 0, 1_000_000],
  ['a hundred blocks down', 0, -100],
])('a head %s for two seconds is never taken', async (_, seconds, blocks) => {
  const { guard, bend, pass, newest } = setup()
  const before = await guard.readHead()
  bend(({ params }, honest) => {
    const head = honest() as { number: string; timestamp: string }
    if ((params as string[])[0] !== 'latest') return head
    const [number, timestamp] = [Number(head.number) + blocks, Number(head.timestamp) + seconds]
    return { ...head, number: `0x${number.toString(16)}`, timestamp: `0x${timestamp.toString(16)}` }
  })
  const head = guard.readHead()
  expect(await pass(2, head)).toBe('waiting')
  expect(guard.lastHead()).toBe(before)
  bend(null)
  expect(await pass(5, head)).toMatchObject({ number: newest(), timeSec: START_SEC + newest() * BLOCK_SEC })
})

test('a chain that jumps and then continues from there is followed after a while', async () => {
  const { guard, bend, pass, said } = setup()
  await guard.readHead()
  bend(({ params }, honest) => {
    const head = honest() as { timestamp: string }
    const jumped = Number(head.timestamp) + YEAR_SEC
    return (params as string[])[0] === 'latest' ? { ...head, timestamp: `0x${jumped.toString(16)}` } : head
  })
  const head = guard.readHead()
  expect(await pass(50, head)).toBe('waiting')
  expect(await pass(60, head)).toMatchObject({ timeSec: expect.any(Number) })
  expect(said().join('\n')).toMatch(/waiting for the chain.*following it.*answers again/s)
})

test.each([
  ['lead', 100],
  ['fall', -100],
])('heads that each %s by less than a clock may be off go no further together than one may', async (_, stepSec) => {
  const { guard, bend, pass } = setup()
  const first = await guard.readHead()
  let off = 0
  bend(({ params }, honest) => {
    const head = honest() as { timestamp: string }
    if ((params as string[])[0] !== 'latest') return head
    off += stepSec
    return { ...head, timestamp: `0x${(Number(head.timestamp) + off).toString(16)}` }
  })
  for (let heads = 0; heads < 5; heads++) await pass(1, guard.readHead())
  const { timeSec = 0, atMs = 0 } = guard.lastHead() ?? {}
  expect(Math.abs(timeSec - first.timeSec - (atMs - first.atMs) / 1000)).toBeLessThanOrEqual(124)
})

test('if one endpoint is out, the other is asked, and the outage logs two lines', async () => {
  const names = ['https://one.example', 'https://two.example']
  const { guard, bend, pass, said, asked } = setup(names)
  await guard.check()
  bend(fault('HTTP status 429'))
  expect(await pass(2, guard.request(VIEW))).toMatch(/^0x0/)
  asked.splice(0)
  await guard.request(VIEW)
  expect(asked).toEqual(['https://two.example'])
  bend(null)
  await pass(31)
  asked.splice(0)
  await guard.request(VIEW)
  expect(asked).toEqual(['https://one.example'])
  expect(said()).toEqual([
    expect.stringMatching(/^WARN an endpoint is out; asking the other endpoint=https:\/\/one.example reason=.*429/),
    expect.stringMatching(/^INFO an endpoint is back endpoint=https:\/\/one.example/),
  ])
})

test.each([0, 1])(
  'the endpoint that left the common chain is excluded when two disagree on block number %i',
  async liar => {
    const names = ['https://one.example', 'https://two.example']
    const { guard, bend, pass, said } = setup(names)
    await pass(60)
    await guard.check()
    const forkedFrom = 110
    bend((_, honest) => {
      const head = honest() as { number: string; hash: string }
      return Number(head.number) > forkedFrom ? { ...head, hash: head.hash.replace('0x00', '0xff') } : head
    }, names[liar])
    await pass(120)
    // The common part of both ends at 114 by then.
    const head = guard.readHead()
    await pass(5, head)
    expect(said()).toEqual([
      expect.stringMatching(new RegExp(`an endpoint is out.*endpoint=${names[liar]} reason=its block`)),
    ])
  },
)

test('a ruling of a server on a call, and an answer that stays malformed while the chain advances, reach the caller', async () => {
  const { guard, bend, pass, said } = setup()
  const ruling = new Error('execution reverted')
  bend(({ method }, honest) => {
    if (method === 'eth_call') throw ruling
    return method === 'eth_getLogs' ? fault('range too large')() : honest()
  })
  await expect(guard.request(VIEW)).rejects.toBe(ruling)
  await expect(pass(60, guard.request({ method: 'eth_getLogs' }))).rejects.toThrow('range too large')
  expect(said()).toEqual([])
})

test('a view that an endpoint falsely says reverts is asked for again until the next block', async () => {
  const { guard, bend, pass, clock } = setup()
  let lies = 2
  bend(({ method }, honest) => (method === 'eth_call' && lies-- > 0 ? reverting()() : honest()))
  expect(await pass(2, guard.request(VIEW))).toMatch(/^0x0/)
  lies = Number.POSITIVE_INFINITY
  const sinceMs = clock.nowMs()
  await expect(pass(10, guard.request(VIEW))).rejects.toThrow(RpcRequestError)
  expect(clock.nowMs() - sinceMs).toBeGreaterThan(1_000)
})

test('an error that a contract names counts once an endpoint says it twice', async () => {
  const { guard, bend, pass } = setup()
  let lies = 1
  bend(({ method }, honest) => (method === 'eth_call' && lies-- > 0 ? reverting('0x12345678')() : honest()))
  expect(await pass(1, guard.request(VIEW))).toMatch(/^0x0/)
  lies = 2
  await expect(pass(1, guard.request(VIEW))).rejects.toThrow(RpcRequestError)
})

test.each(['eth_call', 'eth_estimateGas'])('the second endpoint is asked about a revert of %s', async method => {
  const names = ['https://one.example', 'https://two.example']
  const { guard, bend, pass, said } = setup(names)
  await guard.check()
  const refuse: Bend = (call, honest) => (call.method === method ? reverting('0x12345678')() : honest())
  const answer: Bend = (call, honest) => (call.method === method ? `0x${'01'.repeat(32)}` : honest())
  bend(refuse)
  bend(answer, names[1])
  expect(await pass(1, guard.request({ ...VIEW, method }))).toMatch(/^0x01/)
  expect(said().join()).toMatch(/an endpoint is out.*it says that .* reverts, and https:\/\/two.example answers it/)
  bend(refuse, names[1])
  await expect(pass(1, guard.request({ ...VIEW, method }))).rejects.toThrow(RpcRequestError)
})

test('a revert is waited for until the second endpoint has the same block, and takes neither out of use', async () => {
  const names = ['https://one.example', 'https://two.example']
  const { guard, bend, pass, said, newest, block } = setup(names)
  await pass(60, guard.check())
  const since = newest()
  const isAt = (number: number) => number > since
  bend(({ method }, honest) => (method === 'eth_call' && isAt(newest()) ? reverting('0x12345678')() : honest()))
  // The second is a block behind.
  bend(({ method, params }, honest) => {
    if (method === 'eth_call' && isAt(newest() - 1)) return reverting('0x12345678')()
    return (params as unknown[])[0] === 'latest' ? block(newest() - 1) : honest()
  }, names[1])
  while (!isAt(newest())) await pass(0.25)
  await expect(pass(10, guard.request(VIEW))).rejects.toThrow(RpcRequestError)
  expect(said()).toEqual([])
})

test('a call that waits for an answer ends with the signal', async () => {
  const { guard, bend, pass, stop } = setup()
  bend(() => new Promise(() => {}))
  const calls = [guard.request(VIEW), guard.readHead()]
  for (const call of calls) expect(await pass(1, call)).toBe('waiting')
  stop.abort(new Error('stopped'))
  for (const call of calls) await expect(call).rejects.toThrow('stopped')
})

test('a wait ends with the signal', async () => {
  const { guard, bend, pass, stop } = setup()
  bend(fault('down'))
  const view = guard.request(VIEW)
  expect(await pass(5, view)).toBe('waiting')
  stop.abort(new Error('stopped'))
  await expect(view).rejects.toThrow('stopped')
})

test('a request that is too large fails for its caller at once, and the endpoint stays healthy', async () => {
  const { guard, bend, pass, said, asked } = setup()
  await guard.check()
  const before = asked.length
  bend(({ method }, honest) => {
    if (method !== 'eth_call') return honest()
    throw new TooMuchAskedError('more than 10000 results', { hint: 'ask for less', retryable: true })
  })
  await expect(pass(10, guard.request(VIEW))).rejects.toThrow(TooMuchAskedError)
  expect([asked.length - before, said()]).toEqual([1, []])
})

test('the check of every minute goes on after the clock was set back by a day', async () => {
  const { clock, guard, bend, pass, asked } = setup()
  await pass(5, guard.readHead())
  bend(({ method }, honest) => (method === 'eth_chainId' ? asked.push('chain id') && honest() : honest()))
  clock.advance(-86_400_000)
  await pass(5, guard.readHead())
  expect(asked).toContain('chain id')
})
