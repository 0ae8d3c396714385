import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { formatError } from '#base/errors.ts'
import type { Clock } from '#core/clock.ts'
import { createChatServer } from './chatServer.ts'
import { ChatServerError } from './chatServerError.ts'
import { parseServerUrl } from './serverAddress.ts'

const KEY = 'sk-secretSecret'
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A server on loopback that speaks the wire format of chat completions. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const seen: { path: string | undefined; key: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    seen.push({ path: request.url, key: request.headers.authorization, body })
    answer(request, response, body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen }
}

const ample = new AbortController().signal
const slept: number[] = []
const clock: Clock = { nowMs: () => 0, sleep: async ms => void slept.push(ms) }
const client = (url: string, timeoutMs = 5_000) => {
  slept.length = 0
  return createChatServer({ address: parseServerUrl(url, true), key: KEY, clock, timeoutMs })
}
const told = (...tokens: [string, number][]) =>
  JSON.stringify({
    choices: [
      { logprobs: { content: [{ top_logprobs: tokens.map(([token, p]) => ({ token, logprob: Math.log(p) })) }] } },
    ],
  })
const ask = (url: string, timeoutMs?: number) =>
  client(url, timeoutMs).chooseWord([[{ role: 'user', content: 'Right?' }]], ['true', 'false'])

test('Probabilities of words are read off the first token, and conversations keep their order.', async () => {
  const { url, seen } = await serve((_, response, body) => {
    const p = Number(JSON.parse(body).messages[0].content)
    // The first is answered last.
    setTimeout(() => response.end(told(['true', p], [' True', 0.1], ['false', 0.2], ['The', 0.01])), p === 0.5 ? 50 : 0)
  })
  const conversations = [0.5, 0.4, 0.3].map(p => [{ role: 'user' as const, content: String(p) }])
  const rows = await client(`${url}#org/model`).chooseWord(conversations, ['true', 'false', 'maybe'])
  expect(rows.map(row => row?.map(Math.exp))).toEqual(
    [0.6, 0.5, 0.4].map(p => [expect.closeTo(p), expect.closeTo(0.2), expect.closeTo(0.01)]),
  )
  expect(seen.every(({ path, key }) => path === '/v1/chat/completions' && key === `Bearer ${KEY}`)).toBe(true)
  expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
    model: 'org/model',
    max_tokens: 1,
    logprobs: true,
    top_logprobs: 20,
    chat_template_kwargs: { enable_thinking: false },
  })
})

test('Answers are texts, each by its own seed, and one that the limit cut off has not ended.', async () => {
  const { url, seen } = await serve((_, response, body) => {
    const { seed } = JSON.parse(body)
    const [content, finish_reason] = seed % 2 === 0 ? [`even ${seed}`, 'stop'] : [null, 'length']
    response.end(JSON.stringify({ choices: [{ finish_reason, message: { content } }] }))
  })
  const request = { count: 3, temperature: 0.8, maxNewTokens: 160, seed: `0x00000010${'ff'.repeat(28)}`, until: ample }
  expect(await client(`${url}#m`).write([{ role: 'user', content: 'Propose.' }], request)).toEqual([
    { text: 'even 16', ended: true },
    { text: '', ended: false },
    { text: 'even 18', ended: true },
  ])
  expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ model: 'm', max_tokens: 160, temperature: 0.8, seed: 16 })
  expect(JSON.parse(seen[0]?.body ?? '').chat_template_kwargs).toEqual({ enable_thinking: false })
})

test('If a server does not answer in time, the answers that arrived are used.', async () => {
  const time = new AbortController()
  const { url } = await serve((_, response, body) => {
    const { seed } = JSON.parse(body)
    if (seed === 2) time.abort()
    else if (seed === 0) response.end('{"choices":[{"finish_reason":"stop","message":{"content":"first"}}]}')
  })
  const request = { count: 30, temperature: 0.8, maxNewTokens: 160, seed: '0x00', until: time.signal }
  expect(await client(`${url}#m`).write([{ role: 'user', content: 'Propose.' }], request)).toEqual([
    { text: 'first', ended: true },
  ])
})

test.each([
  ['refuses', 400],
  ['denies', 401],
])('Answers are used although the server %s another one.', async (_, status) => {
  const count = 30
  const { url, seen } = await serve((__, response, body) => {
    const { seed } = JSON.parse(body)
    if (seed === 4) return response.writeHead(status).end()
    return response.end(`{"choices":[${seed === 5 ? '{}' : '{"finish_reason":"stop","message":{"content":"one"}}'}]}`)
  })
  const request = { count, temperature: 0.8, maxNewTokens: 160, seed: '0x00', until: ample }
  const [failed, ...texts] = await client(`${url}#m`).write([{ role: 'user', content: 'Propose.' }], request)
  expect(failed).toMatchObject({ text: '', failure: expect.stringMatching(/./) })
  expect(texts.every(({ text }) => text === 'one')).toBe(true)
  // A denial meets the next one, too: no more are asked for.
  if (status === 400) expect(texts).toHaveLength(count - 2)
  else expect(seen.length).toBeLessThan(count)
  expect(texts.length).toBeGreaterThan(3)
})

test('A server that writes no answer at all says why.', async () => {
  const { url } = await serve((_, response) => response.writeHead(400).end())
  const request = { count: 3, temperature: 0.8, maxNewTokens: 160, seed: '0x00', until: ample }
  const texts = client(`${url}#m`).write([{ role: 'user', content: 'Propose.' }], request)
  await expect(texts).rejects.toMatchObject({ code: 'SERVER_REFUSED' })
})

test('Words that a server calls nearly impossible keep finite log-probabilities.', async () => {
  const word = (token: string, logprob: number) => ({ token, logprob })
  const alternatives = [word('The', 0), word('true', -9999), word('false', -1e308)]
  const { url } = await serve((_, response) =>
    response.end(JSON.stringify({ choices: [{ logprobs: { content: [{ top_logprobs: alternatives }] } }] })),
  )
  expect(await client(`${url}#m`).chooseWord([[{ role: 'user', content: 'Right?' }]], ['true', 'false', 'no'])).toEqual(
    [[-100, -100, -100]],
  )
})

test('A conversation that a server refuses has no row; all of them are an error.', async () => {
  const { url } = await serve((_, response, body) =>
    body.includes('long') ? response.writeHead(400).end() : response.end(told(['true', 0.5], ['false', 0.25])),
  )
  const saying = (content: string) => [{ role: 'user', content } as const]
  const asked = client(`${url}#m`)
  const rows = await asked.chooseWord([saying('long'), saying('short')], ['true', 'false'])
  expect(rows).toEqual([null, [expect.closeTo(Math.log(0.5)), expect.closeTo(Math.log(0.25))]])
  await expect(asked.chooseWord([saying('long')], ['true', 'false'])).rejects.toMatchObject({ code: 'SERVER_REFUSED' })
})

test.each([408, 409, 423, 425, 429, 503])(
  'Trouble that passes (%i) does not count as a refusal of a conversation.',
  async status => {
    let asked = 0
    const { url } = await serve((_, response) =>
      ++asked === 2 ? response.writeHead(status).end() : response.end(told(['true', 0.5])),
    )
    const conversations = Array.from({ length: 3 }, () => [{ role: 'user', content: 'Right?' } as const])
    const rows = await client(`${url}#m`).chooseWord(conversations, ['true'])
    expect(rows.flat()).toEqual(Array(3).fill(expect.closeTo(Math.log(0.5))))
    expect(asked).toBe(4)
  },
)

test('A server without credit judges nothing, whatever it answered before.', async () => {
  let asked = 0
  const { url } = await serve((_, response) =>
    ++asked > 2 ? response.writeHead(402).end() : response.end(told(['true', 0.5])),
  )
  const conversations = Array.from({ length: 3 }, () => [{ role: 'user', content: 'Right?' } as const])
  await expect(client(`${url}#m`).chooseWord(conversations, ['true'])).rejects.toMatchObject({ code: 'SERVER_DENIED' })
})

test('A server that loses its model, as by a restart with another one, gives no row of a batch.', async () => {
  let asked = 0
  const { url } = await serve((request, response) => {
    if (request.url?.endsWith('/models')) return response.end('{"data":[{"id":"first"}]}')
    if (++asked > 10) return response.writeHead(404).end()
    return response.end(told(['true', 0.5]))
  })
  const conversations = Array.from({ length: 20 }, () => [{ role: 'user', content: 'Right?' } as const])
  await expect(client(url).chooseWord(conversations, ['true'])).rejects.toMatchObject({ code: 'SERVER_MODEL' })
})

test("Without a name the server's first model is asked.", async () => {
  const { url, seen } = await serve((request, response) =>
    response.end(request.url?.endsWith('/models') ? '{"data":[{"id":"only"}]}' : told(['true', 0.5])),
  )
  await ask(url)
  expect(JSON.parse(seen[1]?.body ?? '').model).toBe('only')
})

test('A server that is busy is asked again, later each time, and is given up in the end.', async () => {
  let busy = 2
  const { url } = await serve((_, response) =>
    busy-- > 0 ? response.writeHead(503).end() : response.end(told(['true', 0.5], ['false', 0.25])),
  )
  expect((await ask(`${url}#m`))[0]?.map(Math.exp)).toEqual([expect.closeTo(0.5), expect.closeTo(0.25)])
  expect(slept).toEqual([500, 2_000])
  busy = 99
  await expect(ask(`${url}#m`)).rejects.toMatchObject({ code: 'SERVER_BUSY', retryable: true })
  expect(slept).toEqual([500, 2_000, 8_000])
})

test.each<[string, (response: ServerResponse) => void, string]>([
  ['no answer', () => {}, 'SERVER_OFFLINE'],
  ['an answer that does not end', response => response.write('{'), 'SERVER_OFFLINE'],
  [
    'an answer that breaks off',
    response => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
    'SERVER_OFFLINE',
  ],
  ['an endless answer', response => endless(response), 'SERVER_RESPONSE'],
  ['HTML', response => response.end('<html>'), 'SERVER_RESPONSE'],
  [
    'no log-probabilities',
    response => response.end('{"choices":[{"message":{"content":"true"},"logprobs":null}]}'),
    'SERVER_RESPONSE',
  ],
  ['probabilities above 1', response => response.end(told(['true', 7])), 'SERVER_RESPONSE'],
  ['deep nesting', response => response.end(`${'['.repeat(1 << 19)}${']'.repeat(1 << 19)}`), 'SERVER_RESPONSE'],
  ['a redirect', response => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'SERVER_OFFLINE'],
  ['a refusal that quotes the key', response => response.writeHead(400).end(KEY), 'SERVER_REFUSED'],
  ['a denial that quotes the key', response => response.writeHead(401).end(KEY), 'SERVER_DENIED'],
])('%s is an error that names no key', async (_, answer, code) => {
  const { url } = await serve((__, response) => answer(response))
  const error = await ask(`${url}#m`, 300).catch(reason => reason)
  expect(error).toBeInstanceOf(ChatServerError)
  expect(error.code).toBe(code)
  expect(formatError(error)).not.toContain(KEY)
})

function endless(response: ServerResponse): void {
  const chunk = 'x'.repeat(1 << 16)
  const more = () => void (response.writable && response.write(chunk, more))
  more()
}

test.each([
  'ftp://x/v1',
  'http://user:pw@127.0.0.1/v1',
  'https://x/v1?key=1',
  'http://example.org/v1#m',
  'https://x/v1#a%00b',
  'https://x/v1#a%',
])('The address %s is refused.', url => {
  const error = (() => {
    try {
      return parseServerUrl(url, true)
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toMatchObject({ code: 'SERVER_URL' })
  expect(formatError(error)).not.toMatch(/pw|key=/)
})

test('An address has a model, or not, and a key may go over TLS.', () => {
  expect(parseServerUrl('https://x/v1/#Qwen/Qwen2.5', true)).toEqual({ base: 'https://x/v1/', model: 'Qwen/Qwen2.5' })
  expect(parseServerUrl('http://10.0.0.1:8000/v1', false)).toEqual({ base: 'http://10.0.0.1:8000/v1/', model: null })
})
