import { peerIdFromString } from '@libp2p/peer-id'
import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createMessageGate, type MessageRules } from '../gossip/messageGate.ts'
import { encodeSigned, type SignedMessage } from '../gossip/signedMessage.ts'
import { ignore, ignoreAsMisdated } from '../gossip/verdict.ts'
import type { Host } from '../host.ts'
import { admitAll } from '../membership/admission.ts'
import { closeStream, writeMessage } from '../streams/streamWriter.ts'
import { connect, startTestHost, until } from '../testHosts.ts'
import { type Sync, type SyncStore, startSync } from './sync.ts'
import { SYNC_PROTOCOL } from './syncProtocol.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(): Promise<Host> {
  const host = await startTestHost()
  stops.push(() => host.stop())
  return host
}

async function syncOf(
  host: Host,
  changes: Partial<SyncStore & MessageRules> = {},
  isRegistered: (peerId: string) => boolean = () => true,
  admission = admitAll,
): Promise<{ sync: Sync; taken: SignedMessage[]; clock: ReturnType<typeof createManualClock> }> {
  const taken: SignedMessage[] = []
  // The clock stands still, so nothing is asked but by the test.
  const clock = createManualClock()
  const rules: MessageRules = {
    check: changes.check ?? (() => ACCEPT),
    take(message) {
      taken.push(message)
      return ACCEPT
    },
  }
  const store: SyncStore = { signed: () => [], rulesOf: () => rules, rounds: () => ({ from: 0, to: 10 }), ...changes }
  const gate = createMessageGate(host, { admission, sourceOf: sender => sender, clock })
  const sync = await startSync(host, { store, gate, isRegistered, clock, logger: silentLogger })
  stops.push(sync.stop)
  return { sync, taken, clock }
}

/** A peer that answers every request with these frames, and counts those that were read. */
async function answering(frames: readonly Uint8Array[]): Promise<Host & { sent: () => number }> {
  const host = await start()
  let sent = 0
  await host.node.handle(SYNC_PROTOCOL, async stream => {
    try {
      for (const frame of frames) {
        await writeMessage(stream, frame, 1000)
        sent += 1
      }
      await closeStream(stream, 1000)
    } catch {
      stream.abort(new Error('the caller cancelled'))
    }
  })
  return { ...host, sent: () => sent }
}

const ACCEPT = { verdict: 'accept', value: null } as const

const fields = {
  from: '16Uiu2HAkzLY2i7BKTwqj4SBfqaE8EtU7pYnqsVtWt2fyZ4E7SCdc',
  sequence: new Uint8Array(8),
  topic: 't',
  data: Uint8Array.from([1]),
  signature: new Uint8Array(64),
  key: new Uint8Array(0),
}
const forged = encodeSigned(fields)

test.each([
  ['a forged message', forged.bytes],
  ['noise', Uint8Array.from([1, 2, 3])],
])('%s in an answer is not taken, and is held against the peer that gave it', async (_, frame) => {
  const liar = await answering([frame])
  const host = await start()
  const { sync, taken } = await syncOf(host)
  await connect(host, liar)
  expect(await sync.pull(liar.peerId)).toBe(0)
  expect(taken).toEqual([])
  expect(host.guard.penaltyOf(liar.peerId)).toBeGreaterThan(0)
})

test('a signed message that our own view does not want is skipped without blame; a forged one is not', async () => {
  const check = () => ignore('round too far')
  const author = await start()
  const frames = [(await author.sign('t', Uint8Array.of(1))).bytes]
  const [peer, forger] = [await answering(frames), await answering([...frames, forged.bytes])]
  const host = await start()
  const { sync, taken } = await syncOf(host, { check })
  for (const one of [peer, forger]) {
    await connect(host, one)
    expect(await sync.pull(one.peerId)).toBe(0)
  }
  expect(taken).toEqual([])
  expect(host.guard.penaltyOf(peer.peerId)).toBe(0)
  expect(host.guard.penaltyOf(forger.peerId)).toBeGreaterThan(0)
})

test('a skipped message is not sent again by anybody for ten minutes', async () => {
  const author = await start()
  const copies = await Promise.all([1, 2, 3].map(at => author.sign('t', Uint8Array.of(at))))
  const holders = [await start(), await start()]
  for (const holder of holders) await syncOf(holder, { signed: () => copies })
  const asker = await start()
  let screened = 0
  const { sync, clock } = await syncOf(asker, {
    check() {
      screened += 1
      return ignore('nothing new')
    },
  })
  const pulled: number[] = []
  for (const holder of [...holders, ...holders, ...holders.slice(1)]) {
    if (!asker.connectedPeers().includes(holder.peerId)) await connect(asker, holder)
    await sync.pull(holder.peerId)
    pulled.push(screened)
    if (pulled.length === 4) clock.advance(10 * 60_000)
  }
  expect(pulled.slice(0, 4)).toEqual([3, 3, 3, 3])
  // The clock has others asked as well.
  expect(pulled[4]).toBeGreaterThanOrEqual(6)
})

test('a message that was refused because its author was not registered yet is requested again', async () => {
  const [author, holder, asker] = [await start(), await start(), await start()]
  const message = await author.sign('t', Uint8Array.of(1))
  await syncOf(holder, { signed: () => [message] })
  let standing: 'unregistered' | 'registered' = 'unregistered'
  const admission = { ...admitAll, isRegistered: () => standing === 'registered', standingOf: () => standing }
  const { sync, taken } = await syncOf(asker, {}, undefined, admission)
  await connect(asker, holder)
  expect([await sync.pull(holder.peerId), taken.length]).toEqual([0, 0])
  standing = 'registered'
  await sync.pull(holder.peerId)
  expect(taken.length).toBeGreaterThan(0)
})

test('a peer that forwards a thousand messages that are misdated by our clock is not blamed', async () => {
  const author = await start()
  const messages = await Promise.all(
    Array.from({ length: 1000 }, (_, at) => author.sign('t', Uint8Array.of(at >> 8, at))),
  )
  const [holder, asker] = [await start(), await start()]
  await syncOf(holder, { signed: () => messages })
  for (const [check, isBlamed] of [
    [() => ignoreAsMisdated('signed in the future'), false],
    [() => ignore('not newer'), true],
  ] as const) {
    const { sync } = await syncOf(asker, { check })
    if (asker.connectedPeers().length === 0) await connect(asker, holder)
    await sync.pull(holder.peerId)
    expect(asker.guard.penaltyOf(holder.peerId) > 0).toBe(isBlamed)
    await sync.stop()
  }
})

test('the first of 4,000 unsigned messages ends the answer, whether it is of use or not, and two answers end the peer', async () => {
  const liar = await answering(Array.from({ length: 4000 }, () => forged.bytes))
  const host = await start()
  let verified = 0
  const { verify } = host
  const { sync } = await syncOf(
    Object.assign(host, {
      verify: (message: SignedMessage) => {
        verified += 1
        return verify(message)
      },
    }),
    { check: () => ignore('round too far') },
  )
  await connect(host, liar)
  await sync.pull(liar.peerId)
  await sync.pull(liar.peerId)
  expect(verified).toBe(2)
  expect(host.guard.penaltyOf(liar.peerId)).toBeGreaterThan(80)
})

test('a peer that has 10,000 messages of an author that has one more gets that one, and blames nobody', async () => {
  const author = await start()
  const more = await author.sign('t', Uint8Array.of(1))
  const held = Array.from({ length: 10_000 }, (_, index) =>
    encodeSigned({ ...fields, sequence: Uint8Array.from([0, 0, 0, 0, 0, 0, index >> 8, index]) }),
  )
  await syncOf(author, { signed: () => [...held, more] })
  const host = await start()
  const { sync, taken } = await syncOf(host, { signed: () => held, check: message => checkNew(message) })
  const known = new Set(held.map(({ id }) => String(id)))
  const checkNew = ({ id }: SignedMessage) => (known.has(String(id)) ? ignore('not newer') : ACCEPT)
  await connect(host, author)
  const first = await sync.pull(author.peerId)
  expect(first + (await sync.pull(author.peerId))).toBe(1)
  expect(taken).toEqual([more])
  expect(host.guard.penaltyOf(author.peerId)).toBe(0)
})

/** Whether each of some requests was reset, one after the other. */
async function resetsOf(client: Host, server: Host, requests: number): Promise<boolean[]> {
  await connect(client, server)
  const resets: boolean[] = []
  for (let index = 0; index < requests; index += 1) {
    const stream = await client.node.dialProtocol(peerIdFromString(server.peerId), SYNC_PROTOCOL)
    const ended = until(stream, ['close', 'remoteCloseWrite'], () => stream.remoteWriteStatus === 'closed')
    await stream.close().catch(() => {})
    await ended
    resets.push(stream.status === 'reset')
  }
  return resets
}

test('a peer that asks again and again is no longer answered, nor are many that ask a little each', async () => {
  const server = await start()
  await syncOf(server)
  const resets = await resetsOf(await start(), server, 12)
  expect(resets.indexOf(true)).toBeGreaterThanOrEqual(9)
  expect(resets.at(-1)).toBe(true)
  const many: boolean[] = []
  for (let client = 0; client < 5; client += 1) many.push(...(await resetsOf(await start(), server, 9)))
  expect(many.indexOf(true)).toBeGreaterThanOrEqual(36)
  expect(many.at(-1)).toBe(true)
})

test('strangers that ask leave half of the answers to registered peers', async () => {
  const [server, registered] = [await start(), await start()]
  await syncOf(server, {}, peer => peer === registered.peerId)
  const many: boolean[] = []
  for (let client = 0; client < 4; client += 1) many.push(...(await resetsOf(await start(), server, 9)))
  expect(many.at(-1)).toBe(true)
  expect(await resetsOf(registered, server, 9)).toEqual(Array(9).fill(false))
})
