import type { Connection } from '@libp2p/interface'
import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import { createStreamReader } from '../streams/streamReader.ts'
import { connect, startTestHost, until } from '../testHosts.ts'
import { keepAlive } from './keepAlive.ts'

const PING_PROTOCOL = '/ipfs/ping/1.0.0'
const stops: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(): Promise<Host> {
  const host = await startTestHost()
  stops.push(() => host.stop())
  return host
}

/** A host with `count` connections to peers; each says when it was pinged, and answers or does not. */
async function scene(
  count: number,
  answers: boolean,
): Promise<{ host: Host; pinged: string[]; next: () => Promise<void> }> {
  const host = await start()
  const pinged: string[] = []
  let onPing = (): void => {}
  for (let index = 0; index < count; index += 1) {
    const peer = await start()
    await peer.node.unhandle(PING_PROTOCOL)
    await peer.node.handle(PING_PROTOCOL, stream => {
      pinged.push(peer.peerId)
      onPing()
      if (answers) stream.addEventListener('message', event => void stream.send(event.data))
    })
    await connect(host, peer)
  }
  const next = (): Promise<void> =>
    new Promise(resolve => {
      onPing = resolve
    })
  return { host, pinged, next }
}

test('connections are pinged in turn, each at its own moment, and those that answer stay', async () => {
  const { host, pinged, next } = await scene(3, true)
  const clock = createManualClock()
  stops.push(keepAlive(host.node, { everyMs: 3000, clock, logger: silentLogger }))
  for (let second = 0; second < 4; second += 1) {
    while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
    const one = next()
    clock.advance(1000)
    await one
    expect(pinged.length).toBe(second + 1)
  }
  expect(new Set(pinged.slice(0, 3)).size).toBe(3)
  expect(pinged[3]).toBe(pinged[0])
  expect(host.connectedPeers().length).toBe(3)
})

test('a peer that does not answer is hung up on', async () => {
  const { host } = await scene(1, false)
  const clock = createManualClock()
  stops.push(keepAlive(host.node, { timeoutMs: 50, clock, logger: silentLogger }))
  const gone = until(host.node, ['peer:disconnect'], () => host.connectedPeers().length === 0)
  clock.advance(15_000)
  await gone
})

test('a peer that does not know the protocol stays', async () => {
  const host = await start()
  const peer = await start()
  await peer.node.unhandle(PING_PROTOCOL)
  await connect(host, peer)
  const clock = createManualClock()
  stops.push(keepAlive(host.node, { everyMs: 1000, clock, logger: silentLogger }))
  const asked = new Promise<void>(resolve => {
    const [connection] = host.node.getConnections()
    if (connection === undefined) return
    const newStream = connection.newStream
    connection.newStream = (...parameters) => {
      const opening = newStream.apply(connection, parameters)
      opening.then(
        () => {},
        () => setImmediate(resolve),
      )
      return opening
    }
  })
  clock.advance(1000)
  await asked
  expect(host.connectedPeers()).toEqual([peer.peerId])
})

test('a few pings on one stream are answered, and one that sends more is reset', async () => {
  const [host, peer] = [await start(), await start()]
  await connect(host, peer)
  const connection = host.node.getConnections()[0] as Connection
  const polite = await connection.newStream(PING_PROTOCOL)
  const reader = createStreamReader(polite, { idleMs: 10_000 })
  for (let ping = 0; ping < 16; ping += 1) {
    const sent = new Uint8Array(32).fill(ping)
    polite.send(sent)
    expect(await reader.exactly(32)).toEqual(sent)
  }
  await polite.close()
  expect(await reader.chunk(1)).toBeNull()
  const greedy = await connection.newStream(PING_PROTOCOL)
  const answers = createStreamReader(greedy, { idleMs: 10_000 })
  greedy.send(new Uint8Array(64 << 10))
  const readAll = async () => {
    for (let read = 0; ; ) {
      read += (await answers.chunk(1 << 16))?.byteLength ?? 0
      expect(read).toBeLessThanOrEqual(16 * 32)
    }
  }
  await expect(readAll()).rejects.toThrow('stream closed')
})
