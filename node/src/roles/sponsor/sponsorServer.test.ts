import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { serveSponsor } from './sponsorServer.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const well = {
  ...{ peerId: '16Uiu2HAmEANjKfBma6NddbjH2owsfcrgj15SYewBK6Nojz48pWGr', account: `0x${'aB'.repeat(20)}` },
  ...{ publicKey: `0x${'11'.repeat(64)}`, nonce: 0, deadlineSec: 1, signature: `0x${'22'.repeat(65)}` },
  consent: `0x${'33'.repeat(65)}`,
}

async function listen(requestMs = 5_000, untilAnswered = Promise.resolve()) {
  const asked: object[] = []
  const ask = async (request: object) => {
    asked.push(request)
    await untilAnswered
    return { code: 202, body: { status: 'sending' } }
  }
  const pages = { terms: async () => ({ rounds: 3 }), standing: async () => null, ask }
  const said: string[] = []
  const write = (line: string) => void said.push(line)
  const logger = createLogger({ write, format: 'pretty', level: 'info', clock: createManualClock() })
  const server = await serveSponsor({ port: 0, host: '127.0.0.1', requestMs }, pages, logger)
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const post = async (body: string, type = 'application/json') => {
    const init = { method: 'POST', body, headers: { 'content-type': type } }
    return (await fetch(`http://127.0.0.1:${port}/v1/sponsor`, init)).status
  }
  return {
    port,
    asked,
    said,
    post,
    get: async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
  }
}

test('a well-formed request is sent in lower case; a malformed one is refused with the wrong part', async () => {
  const { asked, post } = await listen()
  expect(await post(JSON.stringify(well))).toBe(202)
  expect(asked).toEqual([{ ...well, account: `0x${'ab'.repeat(20)}` }])
  for (const wrong of [
    ...['', 'null', '[]', '{}', '{"a":', '"text"', '1e999', `${'['.repeat(4_000)}`],
    ...[
      { account: '0x12' },
      { account: null },
      { nonce: -1 },
      { nonce: 2 ** 60 },
      { deadlineSec: 0.5 },
      { consent: '0x1' },
    ],
    ...[
      { signature: 'x'.repeat(130) },
      { peerId: '../../etc' },
      { extra: 1 },
      { __proto__: 1, rsa: { modulus: '0x' } },
    ],
    ...[{ token: 'x'.repeat(201) }, { publicKey: `0x${'1'.repeat(7)}` }],
  ])
    expect(await post(typeof wrong === 'string' ? wrong : JSON.stringify({ ...well, ...wrong }))).toBe(400)
  expect(await post(JSON.stringify(well), 'text/plain')).toBe(415)
  expect(await post(JSON.stringify({ ...well, token: 'x'.repeat(100_000) })).catch(() => 413)).toBe(413)
  expect(asked).toHaveLength(1)
})

test('other paths are not found, nor is a peer that is not sponsored', async () => {
  const { get } = await listen()
  expect(await get('/v1/sponsor')).toBe(200)
  for (const path of [
    `/v1/sponsor/0x${'1'.repeat(64)}`,
    '/',
    '//',
    '/v1/sponsor/0x12',
    '/v1/sponsor/..%2f..',
    '/account.key',
  ])
    expect(await get(path)).toBe(404)
})

test('requests that never end are closed, and others are answered meanwhile', async () => {
  const { port, get } = await listen(200)
  const slow = [
    '',
    'POST /v1/sp',
    'POST /v1/sponsor HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
  ]
  const closed = slow.map(said => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    closing.push(() => socket.destroy())
    socket.resume().write(said)
    return new Promise(resolve => socket.once('close', resolve))
  })
  expect(await get('/v1/sponsor')).toBe(200)
  await Promise.all(closed)
  expect(await get('/v1/sponsor')).toBe(200)
})

test('a whole request is answered, however long the chain takes', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { post, port, asked } = await listen(50, promise)
  const answered = post(JSON.stringify(well))
  await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 5_000 })
  // The server closes two silent connections, one after the other, while the request waits.
  for (let at = 0; at < 2; at++) await once(connect(port, '127.0.0.1').resume(), 'close')
  resolve()
  expect(await answered).toBe(202)
})

test('connections that say nothing keep nobody out', async () => {
  const { port, get } = await listen(60_000)
  for (let at = 0; at < 256; at++) {
    const socket = connect(port, '127.0.0.1')
    closing.push(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
  }
  expect(await get('/v1/sponsor')).toBe(200)
})

test("a request that breaks off is nobody's error: whoever sends many fills no log", async () => {
  const { port, said, get } = await listen()
  const head = 'POST /v1/sponsor HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n'
  for (let i = 0; i < 3; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(`${head}{"peerId":`)
    socket.resetAndDestroy()
    await once(socket, 'close')
  }
  // Answered after them.
  expect(await get('/v1/sponsor')).toBe(200)
  expect(said).toEqual([])
})
