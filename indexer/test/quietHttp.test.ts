import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { createPublicClient } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { ponderRpc, quietHttp } from '../launch/quietHttp.ts'

const KEY = 'k3y-0f-the-operator'

async function endpoint(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${KEY}`
}

test('no error of a transport shows the key of its URL, whatever the endpoint says', async () => {
  const urls = [
    await endpoint(500, `no ${KEY}`),
    await endpoint(200, JSON.stringify({ error: { code: -32000, message: `bad ${KEY}` } })),
    `http://127.0.0.1:1/v2/${KEY}`,
  ]
  for (const url of urls) {
    const client = createPublicClient({ transport: quietHttp(url) })
    const error = await client.getChainId().catch(thrown => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(inspect(error, { depth: 9, showHidden: true }), url).not.toContain(KEY)
  }
})

test('if the first endpoint does not answer, the second is asked', async () => {
  const urls = [await endpoint(500, 'down'), await endpoint(200, JSON.stringify({ result: '0x7' }))]
  expect(await createPublicClient({ transport: quietHttp(urls.join(',')) }).getChainId()).toBe(7)
})

test('a password in a URL is sent as it is typed', async () => {
  const server = createServer(({ headers }, response) => {
    const sent = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
    response.end(JSON.stringify({ result: sent === 'me:a=b100%' ? '0x7' : '0x8' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://me:a=b100%@127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await createPublicClient({ transport: quietHttp(url) }).getChainId()).toBe(7)
})

test('a redirect is not followed, and the error gives the origin to ask', async () => {
  const target = await endpoint(200, JSON.stringify({ result: '0x7' }))
  const url = await endpoint(307, '', { location: target })
  const error = await createPublicClient({ transport: quietHttp(url) })
    .getChainId()
    .catch(thrown => thrown)
  expect(inspect(error, { depth: 9 })).toContain(`it redirects to ${new URL(target).origin}, and redirects are not`)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY)
})

test('words of an endpoint have no control sequences', async () => {
  const message = 'no\u001b[2J\u001b]0;title\u0007 \r\u202e'
  const url = await endpoint(200, JSON.stringify({ id: 0, error: { code: -32000, message } }))
  const error = await createPublicClient({ transport: quietHttp(url) })
    .getChainId()
    .catch(thrown => thrown)
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    expect(at.message).toContain('[2J')
    expect(at.message).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  }
})

test('Ponder itself asks only a local URL without a key', () => {
  expect(ponderRpc('http://127.0.0.1:8545', true)).toHaveLength(25)
  for (const url of [`http://127.0.0.1:8545/v2/${KEY}`, `http://user:${KEY}@localhost:8545`])
    expect(ponderRpc(url, true)).toBeInstanceOf(Function)
  expect(ponderRpc('http://one.example', false)).toBeInstanceOf(Function)
})
