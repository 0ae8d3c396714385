import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePorts, probePort } from './freePorts.ts'

test('ports in a row are free, and a port that somebody listens on is not', async () => {
  const first = await freePorts(5)
  for (const at of [0, 1, 2, 3, 4]) expect(await probePort(first + at)).toBe(first + at)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  expect(await probePort((server.address() as AddressInfo).port)).toBeNull()
  server.close()
})
