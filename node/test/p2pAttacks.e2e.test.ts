import type { Stream } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { encodeCanonical } from '#core/canonical.ts'
import { type Logger, silentLogger } from '#core/logger.ts'
import { type Announcement, encodeAnnouncement } from '#p2p/gossip/announcement.ts'
import { encodeSigned, type SignedFields, type SignedMessage } from '#p2p/gossip/signedMessage.ts'
import { ownAnnouncement, testSwarm } from '#p2p/gossip/testAnnouncement.ts'
import { topicOf, topicsOf } from '#p2p/gossip/topics.ts'
import type { Host } from '#p2p/host.ts'
import { writeBytes } from '#p2p/streams/streamWriter.ts'
import { startTestHost, until } from '#p2p/testHosts.ts'
import { announced, startTestPeer, type TestPeer } from './p2pNetworks.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map(stop => stop()))
})

const topic = topicOf(testSwarm, 'rollouts')

type Scene = { victim: TestPeer; witness: TestPeer; attacker: Host }

/** Two honest peers, and an attacker that is subscribed, connected to the first, and checks nothing. */
async function scene(logger: Logger = silentLogger): Promise<Scene> {
  const victim = await startTestPeer({ logger })
  const witness = await startTestPeer({ bootnodes: victim.addresses() })
  const attacker = await startTestHost({ topics: topicsOf(testSwarm) })
  stops.push(victim.stop, witness.stop, attacker.stop)
  for (const name of topicsOf(testSwarm)) attacker.gossip.subscribe(name)
  await witness.waitForPeers(1)
  await attacker.node.dial(victim.addresses().map(address => multiaddr(address)))
  // Each has heard of the other's subscriptions, so that streams stand both ways.
  await subscribed(attacker, victim.host)
  await subscribed(victim.host, attacker)
  return { victim, witness, attacker }
}

const subscribed = (at: Host, peer: Host): Promise<void> =>
  until(at.gossip, ['subscription-change', 'gossipsub:heartbeat'], () =>
    at.gossip.getSubscribers(topic).some(one => one.toString() === peer.peerId),
  )

const claim = (peerId: string, changes: object = {}): Announcement => ({
  ...ownAnnouncement(),
  v: 1,
  chainId: testSwarm.chainId,
  peerId,
  ...changes,
})

/** Publishes without a check of any kind; `forge` changes what was signed. */
async function send(
  attacker: Host,
  data: Uint8Array,
  forge = (message: SignedMessage) => message.bytes,
): Promise<void> {
  await attacker.gossip.publish(topic, forge(await attacker.sign(topic, data)))
}

/** Sends until the victim has hung up, then sees that it stays away, and that the honest peer heard none of it. */
async function bannedAfter(
  { victim, witness, attacker }: Scene,
  payload: (index: number) => Uint8Array,
  forge?: (message: SignedMessage) => Uint8Array,
): Promise<void> {
  const connected = (): boolean => victim.connectedPeers().includes(attacker.peerId)
  expect(connected()).toBe(true)
  const hungUp = until(victim.host.node, ['peer:disconnect'], () => !connected())
  for (let index = 0; index < 120 && connected(); index += 1) await send(attacker, payload(index), forge)
  await hungUp
  expect(victim.host.guard.isBanned(attacker.peerId)).toBe(true)
  await attacker.node.dial(victim.addresses().map(address => multiaddr(address))).catch(() => {})
  expect(connected()).toBe(false)
  expect(victim.connectedPeers()).toContain(witness.peerId)
  expect(witness.host.gossip.getScore(victim.peerId)).toBeGreaterThanOrEqual(0)
}

test.each<[string, (attacker: string, index: number) => Uint8Array]>([
  ['malformed', (_, index) => Uint8Array.from([index, 2, 3])],
  ['oversized', attacker => encodeCanonical({ ...claim(attacker), padding: 'x'.repeat(17 << 10) })],
  ['of another chain', attacker => encodeAnnouncement(claim(attacker, { chainId: 1 }))],
  ['not canonical', attacker => notCanonical(encodeAnnouncement(claim(attacker)))],
  [
    'in the name of another peer',
    () => encodeAnnouncement(claim('16Uiu2HAkzLY2i7BKTwqj4SBfqaE8EtU7pYnqsVtWt2fyZ4E7SCdc')),
  ],
])(
  'a peer that sends announcements that are %s is rejected, scored down, hung up on and kept out',
  async (_, payload) => {
    const set = await scene()
    await bannedAfter(set, index => payload(set.attacker.peerId, index))
    expect(set.victim.announcements(5)).toEqual([])
    expect(set.witness.announcements(5)).toEqual([])
  },
)

test('a peer that floods well-formed announcements is heard a few times, then banned, and the log says why once', async () => {
  const said: unknown[] = []
  const set = await scene({ ...silentLogger, warn: (_, fields) => said.push(fields) })
  const payload = encodeAnnouncement(claim(set.attacker.peerId))
  await bannedAfter(set, () => payload)
  const reason = expect.stringMatching(/^too many for one peer and round; gossip score -\d+$/)
  expect(said).toEqual([{ peer: set.attacker.peerId, reason }])
  expect(set.victim.announcements(5).length).toBe(1)
})

test.each<[string, object]>([
  ['wanted', {}],
  ['of a round that is ignored', { round: 500 }],
])('messages with a forged signature are rejected, and their sender is banned: %s', async (_, changes) => {
  const set = await scene()
  await bannedAfter(set, () => encodeAnnouncement(claim(set.attacker.peerId, changes)), forged)
  expect(set.victim.announcements(5)).toEqual([])
})

test.each<[string, string, (message: SignedMessage) => Uint8Array]>([
  ['with another signature', topic, forged],
  ['with other content', topic, message => forgedContent(message)],
  ['on another topic', topicOf(testSwarm, 'scores'), message => message.bytes],
])('a message of another peer, sent first %s, costs its sender, and the true one is heard', async (_, where, forge) => {
  const { victim, witness, attacker } = await scene()
  const author = witness.host
  const message = await author.sign(topic, encodeAnnouncement(claim(author.peerId)))
  const blamed = until(
    victim.host.gossip,
    ['gossipsub:heartbeat'],
    () => victim.host.gossip.getScore(attacker.peerId) < 0,
  )
  await attacker.gossip.publish(where, forge(message))
  await blamed
  expect(victim.announcements(5)).toEqual([])
  const heard = announced(victim, 'rollouts', one => one.peerId === author.peerId)
  await author.gossip.publish(topic, message.bytes)
  expect((await heard).contentId).toBe(claim(author.peerId).contentId)
  expect(victim.host.gossip.getScore(author.peerId)).toBeGreaterThanOrEqual(0)
})

test('a message that carries more than its signed bytes is dropped, and the true one is heard and forwarded', async () => {
  const { victim, witness, attacker } = await scene()
  const { bytes } = await attacker.sign(topic, encodeAnnouncement(claim(attacker.peerId)))
  const mark = await attacker.sign(
    topicOf(testSwarm, 'canary'),
    encodeAnnouncement(claim(attacker.peerId, { kind: 'canary' })),
  )
  const marked = announced(victim, 'canary', one => one.peerId === attacker.peerId)
  sendRaw(attacker, victim.host, { from: new Uint8Array(10_000), topic, data: bytes })
  sendRaw(attacker, victim.host, { topic: mark.topic, data: mark.bytes })
  await marked
  expect(victim.announcements(5, 'rollouts')).toEqual([])
  const heard = announced(witness, 'rollouts', one => one.peerId === attacker.peerId)
  sendRaw(attacker, victim.host, { topic, data: bytes })
  await heard
})

test('bytes that are not a signed message are rejected, and their sender is banned', async () => {
  const set = await scene()
  let index = 0
  await bannedAfter(
    set,
    () => new Uint8Array(0),
    () => Uint8Array.of(index++, 2, 3),
  )
})

test('after a frame above the limit, which ends gossip without a word, the peer is hung up on', async () => {
  const { victim, attacker } = await scene()
  const gone = until(victim.host.node, ['peer:disconnect'], () => !victim.connectedPeers().includes(attacker.peerId))
  await attacker.gossip.publish(topic, new Uint8Array((1 << 20) + 1000))
  await gone
  expect(victim.host.guard.penaltyOf(attacker.peerId)).toBeGreaterThan(0)
  expect(victim.host.guard.isBanned(attacker.peerId)).toBe(false)
})

test('a peer that sends a million empty frames keeps nobody waiting, and is penalised', async () => {
  const { victim, attacker } = await scene()
  const stream = await attacker.node.dialProtocol(peerIdFromString(victim.peerId), '/meshsub/1.1.0')
  let [latestMs, turnMs] = [0, performance.now()]
  const turns = setInterval(() => {
    latestMs = Math.max(latestMs, performance.now() - turnMs)
    turnMs = performance.now()
  }, 10)
  onTestFinished(() => clearInterval(turns))
  // The length of each is 0.
  const frames = new Uint8Array(1_000)
  for (let sent = 0; sent < 1_000_000; sent += frames.byteLength) {
    await writeBytes(stream, frames, 10_000)
    if (sent % 100_000 === 0) await new Promise(resolve => setImmediate(resolve))
  }
  await until(victim.host.gossip, ['gossipsub:heartbeat'], () => victim.host.guard.penaltyOf(attacker.peerId) > 0)
  expect(latestMs).toBeLessThan(500)
})

test('a peer that opens streams and resets each at once is banned', async () => {
  const { victim, attacker } = await scene()
  const [connection] = attacker.node.getConnections(peerIdFromString(victim.peerId))
  const { muxer } = connection as unknown as { muxer: { createStream(options: object): Promise<Stream> } }
  const hungUp = until(attacker.node, ['peer:disconnect'], () => !attacker.connectedPeers().includes(victim.peerId))
  for (let opened = 0; opened < 12_000 && connection?.status === 'open'; opened += 1) {
    const stream = await muxer.createStream({}).catch(() => null)
    stream?.abort(new Error('at once'))
    if (opened % 100 === 0) await new Promise(resolve => setImmediate(resolve))
  }
  await hungUp
  expect(victim.host.guard.isBanned(attacker.peerId)).toBe(true)
})

test('a message of a round that we do not know yet is ignored, and its sender keeps its score', async () => {
  const { victim, attacker } = await scene()
  await send(attacker, encodeAnnouncement(claim(attacker.peerId, { round: 500 })))
  const heard = announced(victim, 'rollouts', one => one.peerId === attacker.peerId)
  await send(attacker, encodeAnnouncement(claim(attacker.peerId)))
  await heard
  expect(victim.announcements(500)).toEqual([])
  expect(victim.host.gossip.getScore(attacker.peerId)).toBeGreaterThanOrEqual(0)
})

/** The same map behind a longer head than it needs. */
function notCanonical(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([0xb8, (bytes[0] ?? 0) & 0x1f, ...bytes.subarray(1)])
}

type RawMessage = { from?: Uint8Array; topic: string; data: Uint8Array }

/** Sends what gossipsub itself would not. */
function sendRaw(from: Host, to: Host, message: RawMessage): void {
  const inside = from.gossip as unknown as {
    sendRpc(peerId: string, rpc: { subscriptions: []; messages: RawMessage[] }): boolean
  }
  expect(inside.sendRpc(to.peerId, { subscriptions: [], messages: [message] })).toBe(true)
}

function forged(message: SignedMessage): Uint8Array {
  const signature = Uint8Array.from(message.signature)
  signature[10] = (signature[10] ?? 0) ^ 255
  return changed(message, { signature })
}

function forgedContent(message: SignedMessage): Uint8Array {
  return changed(message, { data: encodeAnnouncement(claim(message.from, { size: 1 })) })
}

function changed({ bytes: _bytes, id: _id, ...fields }: SignedMessage, changes: Partial<SignedFields>): Uint8Array {
  return encodeSigned({ ...fields, ...changes }).bytes
}
