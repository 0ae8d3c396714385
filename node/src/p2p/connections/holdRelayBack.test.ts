import type { Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test } from 'vitest'
import type { Host } from '../host.ts'
import { createStreamReader } from '../streams/streamReader.ts'
import { startTestHost, until } from '../testHosts.ts'
import { createHold } from './holdRelayBack.ts'

const RELAY = '/libp2p/circuit/relay/0.2.0'
const hosts: Host[] = []
afterEach(async () => {
  for (const host of hosts.splice(0).reverse()) await host.stop()
})

async function start(...options: Parameters<typeof startTestHost>): Promise<Host> {
  const host = await startTestHost(...options)
  hosts.push(host)
  return host
}

/** A relayed connection: its end at the sender, at the receiver (paused), and the sender's stream at the relay. */
async function relayed() {
  const relay = await start({ relays: true })
  const receiver = await start({ listen: relay.addresses().map(address => `${address}/p2p-circuit`) })
  await until(receiver.node, ['self:peer:update'], () => receiver.addresses().length > 0)
  const { promise: far, resolve } = Promise.withResolvers<Stream>()
  await receiver.node.unhandle(`${RELAY}/stop`)
  await receiver.node.handle(
    `${RELAY}/stop`,
    async stream => {
      const reader = createStreamReader(stream, { idleMs: 10_000 })
      const [length = 0] = await reader.exactly(1)
      await reader.exactly(length)
      reader.release()
      stream.pause()
      // A status of 100: it takes the connection.
      stream.send(Uint8Array.of(4, 8, 1, 32, 100))
      resolve(stream)
    },
    { runOnLimitedConnection: true },
  )
  const sender = await start()
  const connection = await sender.node.dial(relay.addresses().map(address => multiaddr(address)))
  const near = await connection.newStream(`${RELAY}/hop`)
  const id = receiver.node.peerId.toMultihash().bytes
  near.send(Uint8Array.of(id.length + 6, 8, 1, 18, id.length + 2, 10, id.length, ...id))
  const reader = createStreamReader(near, { idleMs: 10_000 })
  const [length = 0] = await reader.exactly(1)
  await reader.exactly(length)
  reader.release()
  const streams = relay.node.getConnections(sender.node.peerId).flatMap(one => one.streams)
  const atRelay = streams.find(({ protocol }) => protocol === `${RELAY}/hop`) as Stream
  return { near, far: await far, atRelay }
}

const turnsUntil = async (condition: () => boolean) => {
  while (!condition()) await new Promise(resolve => setImmediate(resolve))
}
const numbered = (bytes: number) => new Uint8Array(bytes).map((_, at) => at >> 8)

test('a relay keeps little of what a receiver does not read, and it gets all of it when it does', async () => {
  const { near, far, atRelay } = await relayed()
  const sent = numbered(6 << 20)
  near.send(sent)
  await turnsUntil(() => atRelay.readStatus === 'paused' || near.writeBufferLength === 0)
  expect(near.writeBufferLength).toBeGreaterThan(3 << 20)
  const reader = createStreamReader(far, { idleMs: 10_000 })
  far.resume()
  expect(Buffer.compare(await reader.exactly(sent.length), sent)).toBe(0)
})

test('bytes that a sender wrote before it closed its end arrive, though the relay had paused it', async () => {
  const { near, far, atRelay } = await relayed()
  const sent = numbered(4 << 20)
  const step = 64 << 10
  let read = 0
  atRelay.addEventListener('message', ({ data }) => {
    read += data.byteLength
  })
  let at = 0
  for (; atRelay.readStatus !== 'paused'; at += step) {
    near.send(sent.subarray(at, at + step))
    await turnsUntil(() => read === at + step || atRelay.readStatus === 'paused')
  }
  near.send(sent.subarray(at, at + step))
  await near.close()
  await turnsUntil(() => atRelay.remoteWriteStatus === 'closed')
  const reader = createStreamReader(far, { idleMs: 10_000 })
  far.resume()
  expect(Buffer.compare(await reader.exactly(at + step), sent.subarray(0, at + step))).toBe(0)
  expect(await reader.chunk(1)).toBeNull()
})

/** A stream that sends nothing. */
function stuck() {
  const stream = new EventTarget() as EventTarget & Record<string, unknown>
  const abort = () => {
    stream.status = 'aborted'
    stream.dispatchEvent(new Event('close'))
  }
  return Object.assign(stream, {
    ...{ status: 'open', readStatus: 'readable', writeBufferLength: 0, abort, send: () => false },
    ...{ pause: () => Object.assign(stream, { readStatus: 'paused' }), resume: () => {} },
    receive: (bytes: number) =>
      stream.dispatchEvent(Object.assign(new Event('message'), { data: new Uint8Array(bytes) })),
  })
}

test('of more receivers that are behind than a relay waits for, the one that has been so for longest is cut off', async () => {
  const hold = createHold({ heldBytes: 10, behind: 2 })
  const pairs = Array.from({ length: 4 }, () => [stuck(), stuck()] as const)
  for (const [from, to] of pairs) {
    hold(from as unknown as Stream, to as unknown as Stream)
    from.receive(10)
    await Promise.resolve()
    expect(from.readStatus).toBe('paused')
  }
  expect(pairs.map(([, { status }]) => status)).toEqual(['aborted', 'aborted', 'open', 'open'])
  expect(pairs.map(([{ status }]) => status)).toEqual(['aborted', 'aborted', 'open', 'open'])
})
