import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { readCanary } from './monitor.ts'

/** Measurements of a gateway that gives this answer. */
async function readFrom(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const found = await readCanary(`http://127.0.0.1:${port}`)
  server.closeAllConnections()
  server.close()
  return found
}

test('measurements are grouped by round', async () => {
  const points = [
    { round: 5, passAt1: 0.4 },
    { round: 5, passAt1: 0.5 },
    { round: 10, passAt1: 0.6 },
  ]
  const found = await readFrom((_, response) => response.end(JSON.stringify({ points })))
  expect([...found]).toEqual([
    [5, [0.4, 0.5]],
    [10, [0.6]],
  ])
})

test('a gateway that is killed while it answers has measured nothing', async () => {
  const found = await readFrom((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"points":[', () => response.socket?.destroy())
  })
  expect(found.size).toBe(0)
})

test('a gateway that refuses has measured nothing', async () => {
  const found = await readFrom((_, response) => response.writeHead(503).end())
  expect(found.size).toBe(0)
})
