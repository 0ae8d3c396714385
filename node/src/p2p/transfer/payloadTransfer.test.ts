import { createHash, randomBytes } from 'node:crypto'
import { peerIdFromString } from '@libp2p/peer-id'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { MAX_PAYLOAD_BYTES } from '#core/payloads/payloadSizes.ts'
import type { Host } from '../host.ts'
import { createStreamReader } from '../streams/streamReader.ts'
import { writeMessage } from '../streams/streamWriter.ts'
import { connect, servedFrom, startTestHost, until } from '../testHosts.ts'
import { encodeHeader, encodeRequest, FETCH_PROTOCOL } from './fetchProtocol.ts'
import {
  type BundleSource,
  createFetchPayload,
  type PayloadRequest,
  type ServedPayload,
  type ServeLimits,
  serveBundles,
} from './payloadTransfer.ts'

const running: Host[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(host => host.stop()))
})

const common = { clock: systemClock, logger: silentLogger }

async function start(): Promise<Host> {
  const host = await startTestHost()
  running.push(host)
  return host
}

async function holder(
  payloads: readonly Uint8Array[],
  limits: Partial<ServeLimits> = {},
  corrupt = false,
): Promise<Host> {
  const host = await start()
  const store = new Map(
    payloads.map(payload => [contentId(payload), corrupt ? randomBytes(payload.byteLength) : payload]),
  )
  const source: BundleSource = { open: async id => servedFrom(store.get(id)) }
  await serveBundles(host, { source, limits, ...common })
  return host
}

/** Asks one holder. */
function fetcher(host: Host, idleMs = 5_000) {
  const fetchPayload = createFetchPayload(host, { ...common, idleMs })
  const { signal } = new AbortController()
  return (wanted: Partial<PayloadRequest> & Pick<PayloadRequest, 'contentId' | 'peer'>) =>
    fetchPayload({ maxBytes: MAX_PAYLOAD_BYTES, signal, ...wanted })
}
const absent: Hex = `0x${'ab'.repeat(32)}`

test('a payload of several megabytes arrives whole, from the holder named', async () => {
  const payload = randomBytes((3 << 20) + 17)
  const server = await holder([payload])
  const client = await start()
  await connect(client, server)
  const result = await fetcher(client)({
    contentId: contentId(payload),
    maxBytes: payload.byteLength,
    peer: server.peerId,
  })
  expect(Buffer.compare(result as Uint8Array, payload)).toBe(0)
})

test('an empty payload is a payload', async () => {
  const payload = new Uint8Array(0)
  const server = await holder([payload])
  const client = await start()
  await connect(client, server)
  const result = await fetcher(client)({ contentId: contentId(payload), peer: server.peerId })
  expect(result).toEqual(new Uint8Array(0))
})

test('a payload that the holder lacks is not-found', async () => {
  const server = await holder([])
  const client = await start()
  await connect(client, server)
  expect(await fetcher(client)({ contentId: absent, peer: server.peerId })).toBe('not-found')
})

test('a payload above the size asked for is too-large, from an honest holder and from one that sends it all the same', async () => {
  const payload = randomBytes(5000)
  const server = await holder([payload])
  const client = await start()
  await connect(client, server)
  const wanted = { contentId: contentId(payload), maxBytes: 4999, peer: server.peerId }
  expect(await fetcher(client)(wanted)).toBe('too-large')
  const liar = await start()
  await liar.node.handle(FETCH_PROTOCOL, stream =>
    writeMessage(stream, encodeHeader({ v: 1, status: 'ok', size: 17 << 20 }), 1000),
  )
  await connect(client, liar)
  expect(await fetcher(client)({ ...wanted, peer: liar.peerId })).toBe('too-large')
})

test('a corrupt payload is a mismatch, and held against the peer', async () => {
  const payload = randomBytes(200_000)
  const liar = await holder([payload], {}, true)
  const client = await start()
  await connect(client, liar)
  const result = await fetcher(client)({
    contentId: contentId(payload),
    maxBytes: payload.byteLength,
    peer: liar.peerId,
  })
  expect(result).toBe('mismatch')
  expect(client.guard.penaltyOf(liar.peerId)).toBeGreaterThan(30)
})

test('a peer that is not connected and cannot be found is unreachable', async () => {
  const gone = await start()
  const client = await start()
  const result = await fetcher(client)({ contentId: absent, peer: gone.peerId })
  expect(result).toBe('unreachable')
})

test('a holder that never answers is a timeout', async () => {
  const silent = await start()
  await silent.node.handle(FETCH_PROTOCOL, () => {})
  const client = await start()
  await connect(client, silent)
  const result = await fetcher(client, 100)({ contentId: absent, peer: silent.peerId })
  expect(result).toBe('timeout')
})

test('an abort ends a fetch at once', async () => {
  const silent = await start()
  const asked = Promise.withResolvers<void>()
  await silent.node.handle(FETCH_PROTOCOL, () => asked.resolve())
  const client = await start()
  await connect(client, silent)
  const stop = new AbortController()
  const pending = fetcher(client)({ contentId: absent, peer: silent.peerId, signal: stop.signal })
  await asked.promise
  stop.abort()
  expect(await pending).toBe('timeout')
})

test('a holder with no place left is busy', async () => {
  const payload = randomBytes(1000)
  const server = await holder([payload], { streamsPerPeer: 0 })
  const client = await start()
  await connect(client, server)
  expect(await fetcher(client)({ contentId: contentId(payload), peer: server.peerId })).toBe('busy')
})

test('a holder whose disk fails is busy, and holds it against nobody', async () => {
  const server = await start()
  const payload = randomBytes(9)
  let failures = 1
  const open: BundleSource['open'] = async () => {
    if (failures-- > 0) throw new Error('EIO: i/o error, read')
    return servedFrom(payload)
  }
  await serveBundles(server, { source: { open }, ...common })
  const client = await start()
  await connect(client, server)
  const wanted = { contentId: contentId(payload), peer: server.peerId }
  expect(await fetcher(client)(wanted)).toBe('busy')
  expect(await fetcher(client)(wanted)).toEqual(new Uint8Array(payload))
})

test('bytes are reported as they come', async () => {
  const payload = randomBytes(300_000)
  const server = await holder([payload])
  const client = await start()
  await connect(client, server)
  const told: number[] = []
  await fetcher(client)({ contentId: contentId(payload), peer: server.peerId, onBytes: bytes => told.push(bytes) })
  expect(told.length).toBeGreaterThan(1)
  expect(told.reduce((sum, bytes) => sum + bytes, 0)).toBe(payload.byteLength)
})

test('a slow reader gets every byte, and neither side buffers the payload', async () => {
  const payload = randomBytes(8 << 20)
  const server = await holder([payload])
  const client = await start()
  await connect(client, server)
  const stream = await client.node.dialProtocol(peerIdFromString(server.peerId), FETCH_PROTOCOL)
  const reader = createStreamReader(stream, { idleMs: 5000, highWaterBytes: 64 << 10 })
  const request = encodeRequest({ v: 1, contentId: contentId(payload), maxBytes: payload.byteLength })
  await writeMessage(stream, request, 1000)
  await reader.message(256)
  const serving = server.node.getConnections().flatMap(one => one.streams.filter(s => s.protocol === FETCH_PROTOCOL))
  const hash = createHash('sha256')
  let peak = 0
  for (let read = 0; read < payload.byteLength; ) {
    const chunk = await reader.chunk(32 << 10)
    if (chunk === null) break
    hash.update(chunk)
    read += chunk.byteLength
    // A turn of the event loop for each chunk: the server could have sent far more meanwhile.
    await new Promise(resolve => setImmediate(resolve))
    peak = Math.max(peak, stream.readBufferLength, ...serving.map(one => one.writeBufferLength))
  }
  expect(`0x${hash.digest('hex')}`).toBe(contentId(payload))
  expect(peak).toBeLessThan(2 << 20)
  reader.release()
  await stream.close()
})

test('a sent payload is read as fast as the receiver takes it', async () => {
  const size = MAX_PAYLOAD_BYTES
  const server = await start()
  const closed = Promise.withResolvers<void>()
  let read = 0
  const payload: ServedPayload = {
    bytes: size,
    async read(from, to) {
      read = to
      return new Uint8Array(to - from)
    },
    close: async () => closed.resolve(),
  }
  await serveBundles(server, { source: { open: async () => payload }, ...common })
  const client = await start()
  await connect(client, server)
  const stream = await client.node.dialProtocol(peerIdFromString(server.peerId), FETCH_PROTOCOL)
  const reader = createStreamReader(stream, { idleMs: 5000 })
  await writeMessage(stream, encodeRequest({ v: 1, contentId: absent, maxBytes: size }), 1000)
  await reader.message(256)
  await reader.exactly(8 << 20)
  expect(read).toBeLessThan(16 << 20)
  stream.abort(new Error('enough'))
  await closed.promise
})

test('payloads that are asked for as too large are read a few at a time', async () => {
  const payload = randomBytes(5000)
  let opened = 0
  const server = await start()
  const open = async () => {
    opened += 1
    return servedFrom(payload)
  }
  await serveBundles(server, { source: { open }, ...common })
  const client = await start()
  await connect(client, server)
  const wanted = { contentId: contentId(payload), maxBytes: 0, peer: server.peerId }
  const results = []
  for (let asked = 0; asked < 20; asked++) results.push(await fetcher(client)(wanted))
  expect(results.slice(0, 4)).toEqual(Array(4).fill('too-large'))
  expect(results.at(-1)).toBe('busy')
  expect(opened).toBeLessThan(8)
})

test('streams opened without a request are reset, and do not keep a payload from others', async () => {
  const payload = randomBytes(1000)
  const server = await holder([payload], { idleMs: 1000 })
  const client = await start()
  await connect(client, server)
  const idle = await Promise.all(
    Array.from({ length: 20 }, () => client.node.dialProtocol(peerIdFromString(server.peerId), FETCH_PROTOCOL)),
  )
  const result = await fetcher(client)({ contentId: contentId(payload), peer: server.peerId })
  expect(result).toBeInstanceOf(Uint8Array)
  await Promise.all(idle.map(stream => until(stream, ['close'], () => stream.status !== 'open')))
})

test('a reader that stops reading is given up on, and its place is free again', async () => {
  const payload = randomBytes(MAX_PAYLOAD_BYTES)
  const small = randomBytes(10)
  const server = await holder([payload, small], { idleMs: 1000, streamsPerPeer: 1 })
  const client = await start()
  await connect(client, server)
  const stream = await client.node.dialProtocol(peerIdFromString(server.peerId), FETCH_PROTOCOL)
  stream.pause()
  await writeMessage(stream, encodeRequest({ v: 1, contentId: contentId(payload), maxBytes: payload.byteLength }), 1000)
  await until(stream, ['close'], () => stream.status === 'reset')
  const result = await fetcher(client)({ contentId: contentId(small), peer: server.peerId })
  expect(result).toBeInstanceOf(Uint8Array)
})

test('a peer that takes nothing of many payloads gives a place to one that asks for its first', async () => {
  const [payload, small] = [randomBytes(MAX_PAYLOAD_BYTES), randomBytes(10)]
  const server = await holder([payload, small], { streams: 4 })
  const [hog, client] = [await start(), await start()]
  await connect(hog, server)
  await connect(client, server)
  const request = encodeRequest({ v: 1, contentId: contentId(payload), maxBytes: payload.byteLength })
  for (let at = 0; at < 4; at++) {
    const stream = await hog.node.dialProtocol(peerIdFromString(server.peerId), FETCH_PROTOCOL)
    const reader = createStreamReader(stream, { idleMs: 5_000 })
    await writeMessage(stream, request, 1000)
    await reader.message(256)
  }
  expect(await fetcher(client)({ contentId: contentId(small), peer: server.peerId })).toBeInstanceOf(Uint8Array)
})

test('a request that is not canonical, or too long, resets the stream', async () => {
  const server = await holder([])
  const client = await start()
  await connect(client, server)
  for (const junk of [randomBytes(100), randomBytes(100_000)]) {
    const stream = await client.node.dialProtocol(peerIdFromString(server.peerId), FETCH_PROTOCOL)
    await writeMessage(stream, junk, 1000).catch(() => {})
    await until(stream, ['close'], () => stream.status === 'reset')
  }
})

test('payloads go out at the pace allowed', async () => {
  const payload = randomBytes(256 << 10)
  const server = await holder([payload], { bytesPerSecond: 1 << 20, burstBytes: 64 << 10 })
  const client = await start()
  await connect(client, server)
  const startedMs = performance.now()
  const result = await fetcher(client)({ contentId: contentId(payload), peer: server.peerId })
  expect(result).toBeInstanceOf(Uint8Array)
  // 192 KiB beyond the burst, at 1 MiB a second.
  expect(performance.now() - startedMs).toBeGreaterThan(150)
})
