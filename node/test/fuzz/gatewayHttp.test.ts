import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { silentLogger } from '#core/logger.ts'
import { serveJson } from '../../src/roles/gateway/httpServer.ts'
import { mutate } from './mutate.ts'

const REQUESTS = 400

const request = (first: string, ...headers: string[]) =>
  Buffer.from(`${[`${first} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`)
const seeds = [
  request('GET /v1/rounds/7'),
  request('GET /v1/status?x=%00&y=[1]#z', 'Range: bytes=0-1,-5', 'Accept-Encoding: gzip', 'If-None-Match: *'),
  request('GET http://other.example:99999/v1/status'),
  request('GET //[::1/v1/status', 'Connection: close'),
  request('OPTIONS *', 'Origin: null', 'Access-Control-Request-Method: PUT'),
  request('HEAD /v1/rounds/000000000007', 'Cookie: a=b'),
  request('CONNECT other.example:443'),
  request('GET /v1/status', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
  request('POST /v1/status', 'Expect: 100-continue', 'Content-Length: 3'),
  Buffer.concat([request('POST /v1/status', 'Content-Length: 3'), Buffer.from('abc')]),
  Buffer.concat([request('PUT /v1/status', 'Transfer-Encoding: chunked'), Buffer.from('3\r\nabc\r\n0\r\n\r\n')]),
  Buffer.concat([request('GET /v1/status'), request('GET /v1/rounds/8')]),
]

/** The server's answer to these bytes until it closes the connection. */
function say(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise(resolve => {
    const said: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.on('data', chunk => said.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(said).toString('latin1')))
  })
}

test('any bytes to the gateway are answered or the connection closed; they cost no other request, and reach a route by its own path only', async () => {
  const failures: object[] = []
  const rounds: number[] = []
  const logger = {
    ...silentLogger,
    error: (message: string, fields?: object) => void failures.push({ message, ...fields }),
  }
  const routes = [
    {
      path: /^\/v1\/rounds\/(\d{1,12})$/,
      answer: (match: RegExpExecArray) => ({ seen: rounds.push(Number(match[1])) }),
    },
    { path: /^\/v1\/status$/, answer: () => ({ ok: true }) },
  ]
  const server = await serveJson({ port: 0, bind: '127.0.0.1' }, routes, logger)
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const random = randomStream('fuzz/gatewayHttp', 'waggle')
  const inputs = Array.from({ length: REQUESTS }, () =>
    mutate(seeds[random.integer(seeds.length)] as Uint8Array, random),
  )
  for (let at = 0; at < inputs.length; at += 50) {
    const answers = await Promise.all(inputs.slice(at, at + 50).map(bytes => say(port, bytes)))
    for (const answer of answers) expect(answer).toMatch(/^($|HTTP\/1\.1 (100|200|4\d\d|503) )/)
  }
  expect(rounds.every(round => Number.isSafeInteger(round))).toBe(true)
  expect(failures).toEqual([])
  expect(await (await fetch(`http://127.0.0.1:${port}/v1/status`)).json()).toEqual({ ok: true })
})
