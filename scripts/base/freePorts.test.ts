import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePorts, probePort } from './freePorts.ts'

test('ports in a row are free, and none is one that an outgoing connection holds', async () => {
  const first = await freePorts(5)
  for (const at of [0, 1, 2, 3, 4]) expect(await probePort(first + at)).toBe(first + at)
  const server = createServer(socket => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const listening = (server.address() as AddressInfo).port
  expect(await probePort(listening)).toBeNull()
  const client = connect(listening, '127.0.0.1')
  await once(client, 'connect')
  const held = client.localPort as number
  expect(await probePort(held)).toBeNull()
  // The system chooses a connection's port, and what it chooses from is elsewhere.
  expect(held).toBeGreaterThan(first + 4)
  client.destroy()
  server.close()
})
