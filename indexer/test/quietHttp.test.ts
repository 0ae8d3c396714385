import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { createPublicClient } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { quietHttp } from '../launch/quietHttp.ts'

const KEY = 'k3y-0f-the-operator'

async function endpoint(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
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
