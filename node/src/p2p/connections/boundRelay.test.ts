import type { Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger, silentLogger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import { createStreamReader } from '../streams/streamReader.ts'
import { startTestHost, until } from '../testHosts.ts'
import { boundRelay, createRelayBounds } from './boundRelay.ts'

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

/**
 * A relayed connection: its end at the sender, at the receiver (paused), the sender's stream at the relay, and how much arrived there.
 *
 * @param onTaken - called at the receiver in the turn in which it takes the connection.
 */
async function relayed(onTaken: (far: Stream) => void = () => {}) {
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
      onTaken(stream)
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
  const [atRelay] = relay.node
    .getConnections(sender.node.peerId)
    .flatMap(one => one.streams)
    .filter(({ protocol }) => protocol === `${RELAY}/hop`)
  const taken = { bytes: 0 }
  atRelay?.addEventListener('message', ({ data }) => {
    taken.bytes += data.byteLength
  })
  return { near, far: await far, atRelay: atRelay as Stream, taken, connection }
}

const turnsUntil = async (condition: () => boolean) => {
  while (!condition()) await new Promise(resolve => setImmediate(resolve))
}
const numbered = (bytes: number) => new Uint8Array(bytes).map((_, at) => at >> 8)

test('a relay cuts off a connection whose receiver is too far behind', async () => {
  const { near, taken } = await relayed()
  near.send(new Uint8Array(12 << 20))
  await turnsUntil(() => near.status !== 'open')
  // Eight megabytes, the receiver's window, and what one frame has.
  expect(taken.bytes).toBeLessThan(11 << 20)
})

test('bytes that a relay took before its sender’s process ended arrive', async () => {
  const { near, far, atRelay, taken, connection } = await relayed()
  const sent = numbered(4 << 20)
  near.send(sent)
  await turnsUntil(() => taken.bytes === sent.length)
  const { maConn } = connection as unknown as { maConn: { socket: { destroy(): void } } }
  maConn.socket.destroy()
  await turnsUntil(() => atRelay.status !== 'open')
  const reader = createStreamReader(far, { idleMs: 10_000 })
  far.resume()
  expect(Buffer.compare(await reader.exactly(sent.length), sent)).toBe(0)
  expect(await reader.chunk(1)).toBeNull()
})

test('a connection ends whose receiver was gone before it was joined', async () => {
  const { near } = await relayed(far => far.abort(new Error('gone')))
  await turnsUntil(() => near.status !== 'open')
})

test('a receiver that closes its end and then resets counts as behind', async () => {
  const { near, far, taken } = await relayed()
  await far.close()
  far.abort(new Error('gone'))
  near.send(new Uint8Array(12 << 20))
  await turnsUntil(() => near.status !== 'open')
  expect(taken.bytes).toBeLessThan(11 << 20)
})

test('a relay that joins streams in other methods is refused', () => {
  expect(() => boundRelay(() => ({ handleConnect() {} }), silentLogger)(null)).toThrow(/other methods/)
})

/** A stream that sends nothing. */
function stuck() {
  const stream = new EventTarget() as EventTarget & Record<string, unknown>
  const abort = () => {
    if (stream.status !== 'open') return
    stream.status = 'aborted'
    stream.dispatchEvent(new Event('close'))
  }
  return Object.assign(stream, {
    ...{ status: 'open', writeBufferLength: 0, abort, send: (_: Uint8Array) => false },
    receive: (bytes: number) =>
      stream.dispatchEvent(Object.assign(new Event('message'), { data: new Uint8Array(bytes) })),
  })
}

function noting() {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  return { lines, logger: createLogger({ write, format: 'json', level: 'info', clock: createManualClock() }) }
}

/** Connections by the peers that have places; `behind` bytes wait for the first end of each. */
function joined(watch: ReturnType<typeof createRelayBounds>, peerId: string, behind: number) {
  const [from, to] = [stuck(), stuck()]
  watch(from as unknown as Stream, to as unknown as Stream, peerId)
  from.receive(behind)
  return { from, to }
}

test('if too much waits in all, the largest of the peer that most waits for is cut off', () => {
  const { lines, logger } = noting()
  const watch = createRelayBounds(logger, { eachBytes: 1 << 20, allBytes: 100_000 })
  const honest = joined(watch, 'honest', 40_000)
  const attackers = Array.from({ length: 20 }, (_, at) => joined(watch, 'attacker', 5_000 + at))
  // Small reads do not help it.
  for (const { to } of attackers) to.send(new Uint8Array(20))
  attackers.push(joined(watch, 'attacker', 30_000))
  const open = attackers.filter(({ from, to }) => from.status === 'open' && to.status === 'open')
  expect([honest.from.status, honest.to.status]).toEqual(['open', 'open'])
  expect(open.length).toBeLessThan(attackers.length)
  expect(open.length * 5_000).toBeLessThan(60_000)
  expect(open).not.toContain(attackers.at(-1))
  expect(lines).toHaveLength(attackers.length - open.length)
  for (const line of lines) expect(line).toMatch(/waited for all".*"peer":"attacker"/)
})

test('bytes that wait for ends that are gone no longer count, and frames of a byte count as what they take', () => {
  const { lines, logger } = noting()
  const watch = createRelayBounds(logger, { eachBytes: 10_000, allBytes: 30_000 })
  for (let at = 0; at < 10; at += 1) expect(joined(watch, `peer ${at}`, 10_001).to.status).toBe('aborted')
  const { from, to } = joined(watch, 'tiny', 1)
  for (let at = 0; at < 30; at += 1) from.receive(1)
  expect(to.status).toBe('aborted')
  expect(lines).toHaveLength(11)
  expect(lines.at(-1)).toMatch(/waited for it".*"peer":"tiny"/)
  expect([joined(watch, 'a', 9_000), joined(watch, 'b', 9_000)].map(one => one.to.status)).toEqual(['open', 'open'])
})

test('streams of which one had ended before they were joined are both cut off', async () => {
  const [from, to] = [stuck(), stuck()]
  to.abort()
  createRelayBounds(silentLogger)(from as unknown as Stream, to as unknown as Stream, 'peer')
  await Promise.resolve()
  expect(from.status).toBe('aborted')
})
