import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { refuseRedirects } from './refuseRedirects.ts'

/** A server on loopback. @returns its URL, and how often it was asked. */
async function startServer(status: number, body: string, headers: Record<string, string> = {}) {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.writeHead(status, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked: () => asked }
}

/** A call by the client with which Ponder asks an endpoint that it knows by its URL. */
async function ask(url: string): Promise<unknown> {
  const { getHttpRpcClient } = await import(new URL('./rpc/http.js', import.meta.resolve('ponder')).href)
  const client = getHttpRpcClient(url, { common: { logger: { warn: () => {} } }, chain: { id: 1, name: 'swarm' } })
  return client.request({ body: { method: 'eth_chainId', params: [] } })
}

test("Ponder's own client follows no redirect, and reads other answers as before", async () => {
  const target = await startServer(200, JSON.stringify({ id: 0, result: '0x7' }))
  const redirecting = await startServer(307, '', { location: target.url })
  const undo = refuseRedirects()
  onTestFinished(undo)
  expect(await ask(target.url)).toBe('0x7')
  await expect(ask(redirecting.url)).rejects.toThrow('redirects are not followed')
  expect([target.asked(), redirecting.asked()]).toEqual([1, 1])
})
