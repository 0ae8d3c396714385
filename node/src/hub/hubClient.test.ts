import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createHubClient } from './hubClient.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

const CHUNK_BYTES = 100_000
const clock = { nowMs: () => 0, sleep: async () => {} }

/** Timers that run out by `pass`. */
function manualTimers() {
  let nowMs = 0
  const waiting = new Map<object, { atMs: number; late: () => void }>()
  return {
    start(ms: number, late: () => void) {
      const timer = {}
      waiting.set(timer, { atMs: nowMs + ms, late })
      return () => void waiting.delete(timer)
    },
    pass(ms: number) {
      nowMs += ms
      for (const { atMs, late } of waiting.values()) if (atMs <= nowMs) late()
    },
    running: () => waiting.size,
  }
}

async function setUp(answer: (request: IncomingMessage, response: ServerResponse, pass: (ms: number) => void) => void) {
  const timers = manualTimers()
  const server = createServer((request, response) => answer(request, response, timers.pass))
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { timers, client: createHubClient({ url, clock, startTimer: timers.start }) }
}

/** A body of several chunks. */
class SlowBlob extends Blob {
  readonly #wait: (chunk: number) => unknown

  /** @param wait - before each chunk, by its number. */
  constructor(chunks: number, wait: (chunk: number) => unknown) {
    super(Array.from({ length: chunks }, () => new Uint8Array(CHUNK_BYTES)))
    this.#wait = wait
  }

  override stream() {
    const { size } = this
    const wait = this.#wait
    async function* chunks() {
      for (let at = 0; at < size; at += CHUNK_BYTES) {
        await wait(at / CHUNK_BYTES)
        yield new Uint8Array(CHUNK_BYTES)
      }
    }
    return ReadableStream.from(chunks()) as ReadableStream<Uint8Array<ArrayBuffer>>
  }
}

/** Answers once it has the whole body. */
function take(request: IncomingMessage, response: ServerResponse, before = () => {}): void {
  let bytes = 0
  request.on('data', chunk => {
    bytes += chunk.length
  })
  request.on('end', () => {
    before()
    response.end(`${bytes} of ${request.headers['content-length']}`)
  })
}

test('An upload may take longer than an answer, as long as it moves, and states its length.', async () => {
  const { client, timers } = await setUp((request, response) => take(request, response))
  let least = Number.POSITIVE_INFINITY
  const body = new SlowBlob(10, () => {
    least = Math.min(least, timers.running())
    timers.pass(40_000)
  })
  const response = await client.send('up', { method: 'PUT', body })
  expect(await response.text()).toBe('1000000 of 1000000')
  expect(least).toBe(1)
  expect(timers.running()).toBe(0)
})

test('An upload that stalls is told as such, with a hint that it starts again.', async () => {
  const { client, timers } = await setUp((request, response) => take(request, response))
  const body = new SlowBlob(3, chunk => {
    if (chunk < 2) return undefined
    timers.pass(60_000)
    return new Promise(() => {})
  })
  await expect(client.send('up', { method: 'PUT', body })).rejects.toMatchObject({
    code: 'HUB_UPLOAD',
    retryable: true,
    message: expect.stringMatching(/^The upload to 127\.0\.0\.1:\d+ stalled for 60 s at 200000 of 300000 bytes\.$/),
    hint: expect.stringContaining('from their start'),
  })
})

test.each([
  ['PUT', new Blob(['x']), 'HUB_UPLOAD'],
  ['POST', '{}', 'HUB_UPLOAD'],
  ['GET', undefined, 'HUB_OFFLINE'],
] as const)('A %s that is not answered in time is told as such.', async (method, body, code) => {
  const { client } = await setUp((request, response, pass) => take(request, response, () => pass(60_000)))
  const asked = client.send('x', { method, ...(body === undefined ? {} : { body }) })
  await expect(asked).rejects.toMatchObject({ code, message: expect.stringContaining('does not answer within 60 s') })
})

test('An upload whose connection breaks says how far it came.', async () => {
  const { client } = await setUp(request => void request.on('data', () => request.socket.destroy()))
  const sent = client.send('up', { method: 'PUT', body: new Blob([new Uint8Array(50_000_000)]) })
  await expect(sent).rejects.toMatchObject({
    code: 'HUB_UPLOAD',
    message: expect.stringMatching(/ broke at \d+ of 50000000 uploaded bytes\.$/),
  })
})

test.each([401, 403])('An upload that is answered %i is denied.', async status => {
  const { client } = await setUp((_, response) => void response.writeHead(status).end())
  const sent = client.send('up', { method: 'PUT', body: new Blob([new Uint8Array(1_000)]) })
  await expect(sent).rejects.toMatchObject({ code: 'HUB_DENIED' })
})

test.each([
  ['http://hub.example', 'hf_x', 'The access token would go to hub.example without encryption.'],
  ['http://127.0.0.1.hub.example', 'hf_x', 'The access token would go to 127.0.0.1.hub.example without encryption.'],
  ['http://hub.example', undefined, null],
  ['https://hub.example', 'hf_x', null],
  ['http://localhost:8080', 'hf_x', null],
  ['http://127.0.0.1', 'hf_x', null],
  ['http://[::1]:8080', 'hf_x', null],
])('A token leaves this machine over TLS only: %s, %s', (url, token, message) => {
  const make = () => createHubClient({ url, token, clock })
  if (message === null) make()
  else expect(make).toThrow(expect.objectContaining({ code: 'HUB_URL', message }))
})
