import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '#core/logger.ts'
import { createAnswers, type Route } from './answers.ts'
import { defaultHttpLimits, type HttpLimits, jsonPieces, serveJson } from './httpServer.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function listen(routes: readonly Route[], limits: Partial<HttpLimits> = {}) {
  const server = await serveJson({ port: 0, bind: '127.0.0.1' }, routes, silentLogger, {
    ...defaultHttpLimits,
    ...limits,
  })
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

async function serve(routes: readonly Route[], limits: Partial<HttpLimits> = {}) {
  const port = await listen(routes, limits)
  return async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    return { status: response.status, body: await response.json() }
  }
}

test.each([
  {},
  { a: 1, b: 'é "', c: null, d: [], e: undefined, f: { g: [1, { h: [] }] } },
  { list: [1, 'two', null, undefined, { three: [3] }, [4]], last: true },
])('the pieces of %j are its JSON', body => {
  expect([...jsonPieces(body)].join('')).toBe(JSON.stringify(body))
})

test('an item of a list is a piece', () => {
  const groups = Array.from({ length: 1000 }, (_, index) => ({ index }))
  const pieces = [...jsonPieces({ round: 1, groups })]
  expect(Math.max(...pieces.map(piece => piece.length))).toBeLessThan(20)
})

test('small items of a list are written together', async () => {
  const groups = Array.from({ length: 10_000 }, (_, index) => ({ index }))
  const ask = await serve([{ path: /^\/many$/, answer: () => ({ groups }) }])
  const written = vi.spyOn(ServerResponse.prototype, 'write')
  onTestFinished(() => void written.mockRestore())
  expect(await ask('/many')).toEqual({ status: 200, body: { groups } })
  expect(written.mock.calls.length).toBeLessThan(4)
})

test('answers are JSON with their status; a failure does not end the server', async () => {
  const ask = await serve([
    { path: /^\/rounds\/(\d+)$/, answer: match => (match[1] === '7' ? { round: 7, groups: [{ text: 'x' }] } : null) },
    {
      path: /^\/fails$/,
      answer: () => {
        throw new Error('told to nobody')
      },
    },
    { path: /^\/unwritable$/, answer: () => ({ groups: [1n] }) },
  ])
  expect(await ask('/rounds/7')).toEqual({ status: 200, body: { round: 7, groups: [{ text: 'x' }] } })
  expect(await ask('/rounds/8')).toEqual({ status: 404, body: { error: 'nothing at /rounds/8' } })
  expect(await ask('/other')).toMatchObject({ status: 404 })
  expect(await ask('//')).toMatchObject({ status: 404 })
  expect(await ask('/rounds/7', { method: 'POST' })).toEqual({ status: 405, body: { error: 'GET only' } })
  const failed = await ask('/fails')
  expect(failed.status).toBe(500)
  expect(JSON.stringify(failed.body)).not.toContain('told to nobody')
  await expect(ask('/unwritable')).rejects.toThrow()
  expect(await ask('/rounds/7')).toMatchObject({ status: 200 })
})

test('a request that waits for the chain for too long is told to try again; others are answered', async () => {
  const never = new Promise<object>(() => {})
  const routes = [
    { path: /^\/status$/, answer: () => never },
    { path: /^\/kept$/, answer: () => ({ kept: true }) },
  ]
  const ask = await serve(routes, { answerMs: 20 })
  const waiting = ask('/status')
  expect(await ask('/kept')).toEqual({ status: 200, body: { kept: true } })
  expect(await waiting).toEqual({
    status: 503,
    body: { error: 'no answer in time: the chain may not answer; try again' },
  })
})

/** Resolves once the server has closed a connection on which this was said. */
async function closedAfter(port: number, said: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  closing.push(() => socket.destroy())
  socket.resume().write(said)
  await new Promise(resolve => socket.once('close', resolve))
}

const status: Route = { path: /^\/status$/, answer: () => ({ ok: true }) }

test('requests that never end, and connections that say nothing, are closed; others are answered meanwhile', async () => {
  const limits = { requestMs: 100, checkEveryMs: 20, idleMs: 200 }
  const port = await listen([status], limits)
  const slow = [
    '',
    'GET /status HTTP/1.1\r\nHost: x\r\nX-A: ',
    'POST /status HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n',
  ]
  const closed = Promise.all(slow.map(said => closedAfter(port, said)))
  expect((await fetch(`http://127.0.0.1:${port}/status`)).status).toBe(200)
  await closed
})

test('headers and paths of any size end their own connection only', async () => {
  const port = await listen([status])
  await closedAfter(port, `GET /status HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`)
  await closedAfter(port, `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const long = await fetch(`http://127.0.0.1:${port}/${'a'.repeat(10_000)}`)
  expect(JSON.stringify(await long.json()).length).toBeLessThan(300)
  expect(long.headers.get('x-content-type-options')).toBe('nosniff')
})

test.each(['/../../etc/passwd', '/status/..%2f..%2fpeer.key', '/%2e%2e/peer.key', '/status%00', '/__proto__'])(
  '%s is not found',
  async path => {
    const port = await listen([status])
    const socket = connect(port, '127.0.0.1')
    closing.push(() => socket.destroy())
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 404 /)
  },
)

test('beyond the limit the oldest connection that asked nothing gives way, and the newest is answered', async () => {
  const port = await listen([status], { connections: 2 })
  const connected = async () => {
    const socket = connect(port, '127.0.0.1').resume()
    closing.push(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const [oldest, newer] = [await connected(), await connected()]
  const closed = once(oldest, 'close')
  expect((await fetch(`http://127.0.0.1:${port}/status`)).status).toBe(200)
  await closed
  expect(newer.closed).toBe(false)
})

test('an answer of a million items is made as fast as it is read, and given up with its reader', async () => {
  let made = 0
  const items = Array.from({ length: 1_000_000 }, () => ({
    toJSON: () => {
      made += 1
      return 'x'.repeat(100)
    },
  }))
  const limits = { ...defaultHttpLimits, idleMs: 100 }
  const server = await serveJson(
    { port: 0, bind: '127.0.0.1' },
    [{ path: /^\/large$/, answer: () => ({ items }) }],
    silentLogger,
    limits,
  )
  closing.push(() => server.close())
  const givenUp = new Promise(resolve => server.once('connection', one => one.once('close', resolve)))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  closing.push(() => socket.destroy())
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  await givenUp
  expect(made).toBeLessThan(500_000)
})

/** An answer that no socket buffers whole. */
const large: Route = { path: /^\/large$/, answer: () => ({ items: Array(20_000).fill('x'.repeat(1_000)) }) }

test('if too many answers wait for their readers, the one that waited longest is dropped', async () => {
  const server = await serveJson({ port: 0, bind: '127.0.0.1' }, [large], silentLogger, {
    ...defaultHttpLimits,
    unread: 2,
  })
  const { port } = server.address() as AddressInfo
  closing.push(() => server.close())
  const ask = async () => {
    const givenUp = new Promise(resolve => server.once('connection', one => one.once('close', resolve)))
    const socket = connect(port, '127.0.0.1')
    closing.push(() => socket.destroy())
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    // Its first bytes, and no more.
    await once(socket, 'readable')
    return { socket, givenUp }
  }
  const first = await ask()
  const last = [await ask(), await ask()]
  await first.givenUp
  await Promise.all(last.map(({ socket }) => once(socket.resume(), 'end')))
  for (const { socket } of last) expect(socket.bytesRead).toBeGreaterThan(20_000_000)
})

test('a connection that asks again before it is answered is closed', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<object>()
  const port = await listen([{ path: /^\/slow\/\d+$/, answer: () => gate }])
  const asked = [1, 2, 3].map(at => `GET /slow/${at} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await closedAfter(port, asked.join(''))
  open({})
})

test('requests for an answer in progress share it; a crowd is asked to come back, and blocks no other page', async () => {
  let made = 0
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const slow: Route = {
    path: /^\/rounds\/(\d+)$/,
    answer: async match => {
      made += 1
      await gate
      return { round: Number(match[1]) }
    },
  }
  const answers = createAnswers([slow, status])
  const same = [answers('/rounds/1'), answers('/rounds/1')]
  const others = Array.from({ length: 63 }, (_, at) => answers(`/rounds/${at + 2}`))
  expect(await answers('/rounds/99')).toMatchObject({ status: 503 })
  expect(await answers('/status')).toEqual({ status: 200, body: { ok: true } })
  expect(made).toBe(2)
  open()
  expect(await Promise.all(same)).toEqual(same.map(() => ({ status: 200, body: { round: 1 } })))
  await Promise.all(others)
  expect(made).toBe(64)
  expect(await answers('/rounds/99')).toMatchObject({ status: 200 })
})

test('requests of one queue of a route keep nobody from another of it', async () => {
  let open = () => {}
  const opened = new Promise<void>(resolve => (open = resolve))
  const answers = createAnswers([
    {
      path: /^\/rounds\/(\d+)$/,
      async answer([, round]) {
        if (Number(round) < 100) await opened
        return { round }
      },
      queueOf: ([, round]) => (Number(round) < 100 ? 'old' : 'recent'),
    },
  ])
  const old = Array.from({ length: 64 }, (_, at) => answers(`/rounds/${at}`))
  expect(await answers('/rounds/99')).toMatchObject({ status: 503 })
  expect(await answers('/rounds/100')).toEqual({ status: 200, body: { round: '100' } })
  open()
  await Promise.all(old)
})

test('an address of another machine is refused by name', async () => {
  await expect(serveJson({ port: 0, bind: '203.0.113.7' }, [], silentLogger)).rejects.toMatchObject({
    code: 'HTTP_PORT',
    message: '203.0.113.7 is not an address of this machine.',
  })
})
