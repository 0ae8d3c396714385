import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RpcRequestError } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock, systemClock } from '#core/clock.ts'
import { AskedTooOftenError, ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'

const KEY = 'k3y-0f-the-operator'
const view = { method: 'eth_call', params: [{ to: '0x01', data: '0x' }, 'latest'] }
const wordHex = `0x${'00'.repeat(32)}`

type Call = { id: number; method: string }

/** An endpoint over a real server on loopback that answers as it is told. */
async function endpointOf(answer: RequestListener, timeoutMs = 1_000, clock = systemClock, password = KEY) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return createEndpoint(`http://user:${password}@127.0.0.1:${port}/v2/${KEY}?key=${KEY}`, { timeoutMs, clock })
}

/** Answers what `reply` makes of the body. */
const json =
  (reply: (body: Call | Call[]) => unknown, status = 200): RequestListener =>
  async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply(JSON.parse(Buffer.concat(chunks).toString()))))
  }
const single = (answer: object) => json(body => ({ jsonrpc: '2.0', id: (body as Call).id, ...answer }))
const text =
  (status: number, body: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body)

async function failureOf(endpoint: Endpoint): Promise<Error> {
  return endpoint.ask(view).then(
    answer => new Error(`answered ${answer}`),
    (error: Error) => error,
  )
}

/** Everything that an error can show, however it is printed. */
function shown(error: unknown): string {
  const parts: string[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    parts.push(String(at), at.stack ?? '', JSON.stringify(at, Object.getOwnPropertyNames(at)))
  return parts.join('\n')
}

test.each(['100%', 'pä%C3%A4', 'p%40ss'])('the password %s of a URL reaches the server', async password => {
  let heard = ''
  const answer: RequestListener = (request, response) => {
    heard = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
    single({ result: wordHex })(request, response)
  }
  const endpoint = await endpointOf(answer, 1_000, systemClock, password)
  expect(await endpoint.ask(view)).toBe(wordHex)
  expect(heard).toBe(`user:${{ 'p%40ss': 'p@ss', 'pä%C3%A4': 'pää' }[password] ?? password}`)
})

test.each<[string, RequestListener, RegExp]>([
  ['no result', single({}), /without a result/],
  ['0x', single({ result: '0x' }), /not whole words/],
  ['half a word', single({ result: '0x00ff' }), /not whole words/],
  ['a number', single({ result: 7 }), /not hex/],
  ['HTML', text(200, `<html>no project ${KEY}</html>`), /not JSON/],
  ['a list for one call', json(() => []), /without a result/],
  ['null', json(() => null), /without a result/],
  ['429', text(429, `too many requests for ${KEY}`), /HTTP status 429/],
  ['500', text(500, `no ${KEY}`), /HTTP status 500/],
  ['an error of the server', single({ error: { code: -32603, message: `bad key ${KEY}` } }), /bad key \[redacted\]/],
  ['a limit', single({ error: { code: -32005, message: 'slow down' } }), /slow down/],
  ['a header and then nothing', (_, response) => void response.writeHead(200).write('{'), /no answer within 0.3 s/],
  ['nothing at all', () => undefined, /no answer within 0.3 s/],
  ['a closed connection', request => void request.socket.destroy(), /no connection/],
])('%s is told in words of our own, with no more of the URL than its origin', async (_, answer, says) => {
  const endpoint = await endpointOf(answer, 300)
  const error = await failureOf(endpoint)
  expect(error).toMatchObject({ code: 'CHAIN_UNREACHABLE', retryable: true, message: expect.stringMatching(says) })
  expect(error.message).toContain(endpoint.origin)
  expect(shown(error)).not.toContain(KEY)
})

test('a revert passes with its data, and without the URL', async () => {
  const data = `0x08c379a0${'00'.repeat(32)}`
  const endpoint = await endpointOf(single({ error: { code: 3, message: `execution reverted at ${KEY}`, data } }))
  const error = await failureOf(endpoint)
  expect(error).toBeInstanceOf(RpcRequestError)
  expect(error).toMatchObject({ code: 3, data })
  expect(shown(error)).not.toContain(KEY)
})

test('calls of one turn travel together, and each gets the answer with its own id', async () => {
  const sizes: number[] = []
  const endpoint = await endpointOf(
    json(body => {
      const calls = [body].flat()
      sizes.push(calls.length)
      const answers = calls
        .map(({ id, method }) => ({ id, result: method === 'eth_chainId' ? '0x7' : '0x8' }))
        .reverse()
      return Array.isArray(body) ? answers.filter(({ result }) => result !== '0x8') : answers[0]
    }),
  )
  const asked = ['eth_chainId', 'eth_blockNumber', 'eth_chainId'].map(method => endpoint.ask({ method }))
  const [first, missing, last] = await Promise.allSettled(asked)
  expect([first, last]).toEqual([1, 2].map(() => ({ status: 'fulfilled', value: '0x7' })))
  expect(missing).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining('without a result') },
  })
  expect(await endpoint.ask({ method: 'eth_blockNumber' })).toBe('0x8')
  expect(sizes).toEqual([3, 1])
})

test('a request ends with the signal, and with it what it holds open', async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((_, response) => response.on('close', closed.resolve).flushHeaders()).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const stop = new AbortController()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const asked = createEndpoint(url, { timeoutMs: 60_000, signal: stop.signal })
    .ask(view)
    .catch(error => error)
  await once(server, 'request')
  stop.abort()
  await closed.promise
  expect(await asked).toBeInstanceOf(ChainUnreachableError)
})

test('a server that takes no batches is asked one by one, and after a minute for a batch again', async () => {
  const sizes: number[] = []
  const clock = createManualClock()
  const answer = json(body => {
    sizes.push([body].flat().length)
    return Array.isArray(body) ? { error: { code: -32600, message: 'no batches' } } : { id: body.id, result: wordHex }
  })
  const endpoint = await endpointOf(answer, 1_000, clock)
  expect(await Promise.all([endpoint.ask(view), endpoint.ask(view)])).toEqual([wordHex, wordHex])
  expect(await Promise.all([endpoint.ask(view), endpoint.ask(view)])).toEqual([wordHex, wordHex])
  expect(sizes.splice(0)).toEqual([2, 1, 1, 1, 1])
  clock.advance(60_000)
  expect(await Promise.all([endpoint.ask(view), endpoint.ask(view)])).toEqual([wordHex, wordHex])
  expect(sizes).toEqual([2, 1, 1])
})

test('a server that refuses a batch because it was asked too often is not asked one by one', async () => {
  let requests = 0
  const { ask } = await endpointOf(
    json(() => {
      requests += 1
      return { id: null, error: { code: -32005, message: 'rate limit exceeded' } }
    }),
  )
  const results = await Promise.allSettled([ask(view), ask(view), ask(view)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(requests).toBe(1)
})

test.each<[string, RequestListener, boolean]>([
  ['429', text(429, 'slow down'), true],
  ['503', text(503, 'busy'), false],
  ['a code of a limit', single({ error: { code: -32005, message: 'slow down' } }), true],
  [
    'the words of a limit without the id of a call',
    json(() => ({ id: null, error: { message: 'Too Many Requests' } })),
    true,
  ],
  ['a quota', single({ error: { code: -32603, message: 'quota exceeded' } }), false],
  ...(
    [
      ['daily request count exceeded, request rate limited', false],
      ['Monthly capacity limit exceeded. Visit the dashboard to upgrade', false],
      ['daily request limit reached - upgrade your account', false],
      ['Your app has exceeded its compute units per second capacity', true],
      ['Your app has exceeded its concurrent requests capacity', true],
      ['50/second request limit reached - upgrade your account for a higher quota', true],
      ['project ID request rate exceeded', true],
    ] as const
  ).flatMap(([message, isLimit]): [string, RequestListener, boolean][] => [
    [`${message} (code)`, single({ error: { code: -32005, message } }), isLimit],
    [`${message} (status)`, text(429, message), isLimit],
  ]),
])('whether a refusal may pass in seconds: %s', async (_, answer, isLimit) => {
  const error = await failureOf(await endpointOf(answer))
  expect(error).toBeInstanceOf(ChainUnreachableError)
  expect(error instanceof AskedTooOftenError).toBe(isLimit)
})

test('a redirect is not followed, and the error gives the origin to ask', async () => {
  let followed = 0
  const target = await endpointOf((_, response) => {
    followed += 1
    response.end()
  })
  const { ask } = await endpointOf((_, response) =>
    response.writeHead(307, { location: `${target.origin}/v2/${KEY}` }).end(),
  )
  const error = await ask(view).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: 'CHAIN_UNREACHABLE', message: expect.stringContaining('give its final URL') })
  expect(error).toMatchObject({ message: expect.stringContaining(`redirects to ${target.origin},`) })
  expect(shown(error)).not.toContain(KEY)
  expect(followed).toBe(0)
})

const block = { number: '0x5', timestamp: '0x1', hash: wordHex }
test.each<[string, { method: string; params?: unknown[] }, (id: number) => unknown, RegExp]>([
  ['another id', view, id => ({ id: id + 1, result: wordHex }), /another call/],
  ['no id', view, () => ({ result: wordHex }), /another call/],
  ['a revert of another call', view, () => ({ id: null, error: { code: 3, message: 'reverted' } }), /reverted/],
  [
    'another block than the one of the number',
    { method: 'eth_getBlockByNumber', params: ['0x4', false] },
    id => ({ id, result: block }),
    /another block/,
  ],
  ['code that is not hex', { method: 'eth_getCode', params: [] }, id => ({ id, result: null }), /not hex/],
  ['no hash', { method: 'eth_sendRawTransaction', params: [] }, id => ({ id, result: null }), /not a hash/],
])('an answer with %s is an outage', async (_, call, answerTo, says) => {
  const { ask } = await endpointOf(json(body => answerTo((body as Call).id)))
  await expect(ask(call)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE', message: expect.stringMatching(says) })
})

test('of two answers of a batch with one id, neither counts', async () => {
  const { ask } = await endpointOf(
    json(body => {
      const [first, second] = body as [Call, Call]
      return [first, first, second].map(({ id }, at) => ({ id, result: `0x${`${at}`.repeat(64)}` }))
    }),
  )
  const [first, second] = await Promise.allSettled([ask(view), ask(view)])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'CHAIN_UNREACHABLE' } })
  expect(second).toEqual({ status: 'fulfilled', value: `0x${'2'.repeat(64)}` })
})

test('a refusal is told in one line of bounded length without control sequences, and data that is not hex is dropped', async () => {
  const message = `execution reverted\n\u001b[2J\u202e${'x'.repeat(2 ** 20)}`
  const { ask } = await endpointOf(single({ error: { code: 3, message, data: null } }))
  const error = await ask(view).catch((thrown: RpcRequestError) => thrown)
  expect(error).toBeInstanceOf(RpcRequestError)
  expect(error).toMatchObject({ data: undefined, details: expect.stringMatching(/^[ -~]{10,200}$/) })
})

test('calls whose answers are too long together are asked one by one, and one that is too long alone fails alone', async () => {
  const sent: number[] = []
  let [running, most] = [0, 0]
  const MEBIBYTE = ' '.repeat(2 ** 20)
  const { ask } = await endpointOf(async (request, response) => {
    most = Math.max(most, ++running)
    let body = ''
    for await (const chunk of request) body += chunk
    const calls = [JSON.parse(body)].flat() as (Call & { params: [{ data: string }] })[]
    sent.push(calls.length)
    const isLong = calls.length > 1 || calls[0]?.params[0].data === '0xff'
    for (let written = 0; isLong && written < 65; written++) response.write(MEBIBYTE)
    const answers = calls.map(({ id }) => ({ id, result: wordHex }))
    response.end(JSON.stringify(calls.length > 1 ? answers : answers[0]))
    running -= 1
  }, 10_000)
  const callOf = (data: string) => ask({ ...view, params: [{ to: '0x01', data }, 'latest'] })
  const logs = { method: 'eth_getLogs', params: [{ data: '0xff', fromBlock: '0x1', toBlock: '0x2' }] }
  const results = await Promise.allSettled(['0x01', '0xff', '0x02'].map(callOf))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect([sent, most]).toEqual([[3, 1, 1, 1], 1])
  await expect(ask(logs)).rejects.toThrow(TooMuchAskedError)
})

test('events are returned in the order of the chain, whatever that of the answer', async () => {
  const [address, bytes] = [`0x${'12'.repeat(20)}`, `0x${'ab'.repeat(32)}`]
  const log = { address, topics: [], data: '0x', blockHash: bytes, transactionHash: bytes, transactionIndex: '0x0' }
  const logs = [
    { ...log, blockNumber: '0x9', logIndex: '0x2' },
    { ...log, blockNumber: '0xa', logIndex: '0x0' },
    { ...log, blockNumber: '0xa', logIndex: '0xb' },
    { ...log, blockNumber: '0x10', logIndex: '0x1' },
  ]
  const { ask } = await endpointOf(single({ result: [...logs].reverse() }))
  expect(await ask({ method: 'eth_getLogs', params: [{}] })).toEqual(logs)
})

const events = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x2' }] }
test.each([
  ['query returned more than 10000 results', -32005, true],
  ['Log response size exceeded. You can make requests with up to a 2K block range', -32602, true],
  ['eth_getLogs is limited to a 10,000 range', -32614, true],
  ['query timeout exceeded', -32005, true],
  ['daily request count exceeded, request rate limited', -32005, false],
  ['Too many requests', 429, false],
])('a server that says "%s" is asked for less: %s', async (message, code, isTooMuch) => {
  const { ask } = await endpointOf(single({ error: { code, message } }))
  const failure = await ask(events).catch(error => error)
  expect(failure).toBeInstanceOf(ChainUnreachableError)
  expect(failure instanceof TooMuchAskedError).toBe(isTooMuch)
  // Less than a block cannot be asked for: that is an outage, and is waited out.
  const ofBlock = await ask({ ...events, params: [{ fromBlock: '0x1', toBlock: '0x1' }] }).catch(error => error)
  expect(ofBlock instanceof TooMuchAskedError).toBe(false)
})
