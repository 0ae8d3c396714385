import { createServer } from 'node:net'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test, vi } from 'vitest'
import { silentLogger } from '#core/logger.ts'
import { peerIdOf } from '#p2p/keys/peerPrivateKey.ts'
import type { KeptPeer, PeerStore } from '#p2p/membership/peerBook.ts'
import type { NetworkOptions } from '#p2p/network.ts'
import { newPrivateKey, startTestHost, until } from '#p2p/testHosts.ts'
import { newPayload, startTestPeer, type TestPeer } from './p2pNetworks.ts'

/** Nobody listens at the first port. */
const UNREACHED = '/ip4/127.0.0.1/tcp/1'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(options: Partial<NetworkOptions> = {}): Promise<TestPeer> {
  const peer = await startTestPeer(options)
  stops.push(peer.stop)
  return peer
}

function memoryStore(): PeerStore & { rows: Map<string, KeptPeer> } {
  const rows = new Map<string, KeptPeer>()
  return {
    rows,
    load: () => [...rows.values()],
    write({ put, gone }) {
      for (const peerId of gone) rows.delete(peerId)
      for (const peer of put) rows.set(peer.peerId, peer)
    },
  }
}

/** A port that takes connections and never says a word. */
async function silentPort(): Promise<number> {
  const server = createServer(socket => void stops.push(() => socket.destroy())).unref()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const connected = (at: TestPeer, peer: { peerId: string }) => () => at.connectedPeers().includes(peer.peerId)
const meeting = (at: TestPeer, peer: { peerId: string }): Promise<void> =>
  until(at.host.node, ['peer:connect'], connected(at, peer))

test('two processes with one key hear of each other through others; one that was started again does not', async () => {
  const bootnode = await start({ isBootnode: true })
  const bootnodes = bootnode.addresses()
  const privateKey = await newPrivateKey()
  const heard = { first: [] as string[], again: [] as string[] }
  const first = await startTestPeer({
    ...{ privateKey, bootnodes, follows: false, syncEveryMs: 300 },
    onTwin: addresses => heard.first.push(...addresses),
  })
  await meeting(bootnode, first)
  await first.stop()
  const twin = Promise.withResolvers<void>()
  const again = await start({
    ...{ privateKey, bootnodes, follows: false, syncEveryMs: 300 },
    onTwin(addresses) {
      heard.again.push(...addresses)
      twin.resolve()
    },
  })
  await meeting(again, bootnode)
  await again.catchUp(bootnode.peerId)
  expect(heard).toEqual({ first: [], again: [] })
  const other = await start({ privateKey, bootnodes, follows: false })
  await twin.promise
  expect(other.addresses()).toEqual(expect.arrayContaining(heard.again))
  expect(heard.first).toEqual([])
})

test('an honest peer of the book is met among silent ones, after a restart and with no bootnode', async () => {
  const honest = await start()
  const store = memoryStore()
  const heardAtMs = Date.now()
  const port = await silentPort()
  for (let i = 0; i < 30; i += 1) {
    const peerId = `16Uiu2HAmSilent${i}`
    store.rows.set(peerId, { peerId, addresses: [`/ip4/127.0.0.1/tcp/${port}`], isRegistered: i < 5, heardAtMs })
  }
  const { peerId } = honest
  store.rows.set(peerId, { peerId, addresses: honest.addresses(), isRegistered: true, heardAtMs })
  const lookUp = async (ids: readonly string[]) => ids.map(id => id === peerId)
  const peer = await start({ store, lookUp })
  await meeting(peer, honest)
  await peer.stop()
  expect(store.rows.has(peerId)).toBe(true)
})

test('the author of a payload is dialled when the payload is fetched, where nobody else has it', async () => {
  const author = await start()
  const contentId = author.put(newPayload(1000))
  const store = memoryStore()
  const { peerId } = author
  store.rows.set(peerId, { peerId, addresses: author.addresses(), isRegistered: true, heardAtMs: Date.now() })
  // It seeks one connection and has it, so that nothing but the fetch dials the author.
  const neighbour = await start()
  store.rows.set(neighbour.peerId, {
    ...{ peerId: neighbour.peerId, addresses: neighbour.addresses(), isRegistered: true, heardAtMs: Date.now() },
  })
  const peer = await start({
    store,
    targetPeers: 1,
    bootnodes: neighbour.addresses(),
    lookUp: async ids => ids.map(() => true),
  })
  await meeting(peer, neighbour)
  const { signal } = new AbortController()
  expect(await peer.fetchPayload({ contentId, maxBytes: 1 << 20, peer: peerId, signal })).toBeInstanceOf(Uint8Array)
  expect(peer.connectedPeers()).toContain(peerId)
})

test('strangers get half of the slots, a registered peer that of a stranger where all are taken, and the host says so', async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, newPrivateKey))
  const members = new Set(keys.map(peerIdOf))
  const said: string[] = []
  const host = await start({
    maxConnections: 8,
    lookUp: async ids => ids.map(id => members.has(id)),
    logger: { ...silentLogger, warn: message => void said.push(message) },
  })
  const dial = async (privateKey?: Uint8Array) => {
    const one = await startTestHost({ listen: [], ...(privateKey && { privateKey }) })
    stops.push(() => one.stop())
    await one.node.dial(host.addresses().map(address => multiaddr(address))).catch(() => {})
    return one
  }
  for (let i = 0; i < 6; i += 1) await dial()
  await expect
    .poll(() => host.status())
    .toMatchObject({
      connections: { members: 0, strangers: 4, max: 8 },
      refused: { strangers: 2 },
    })
  expect(said).toEqual(['a connection was refused: no slot is free for it'])

  const evicted = until(host.host.node, ['peer:disconnect'], () => host.status().connections.strangers === 3)
  for (const key of keys) await meeting(host, await dial(key))
  await evicted
  expect(host.status().connections).toEqual({ members: 5, strangers: 3, max: 8 })
})

test('a peer that nobody reaches, or that is hung up on, knows why it is alone, until it is told another bootnode', async () => {
  const host = await start({ maxConnections: 8, lookUp: async ids => ids.map(() => false) })
  for (let i = 0; i < 4; i += 1) await meeting(host, await start({ bootnodes: host.addresses() }))
  const [refused, lost] = [await start({ bootnodes: host.addresses() }), await start({ bootnodes: [UNREACHED] })]
  await expect.poll(() => refused.connectivity()).toMatchObject({ peers: 0, alone: { reason: 'hung up on' } })
  await expect.poll(() => lost.connectivity().alone?.found).toMatch(/\/tcp\/1\b.*ECONNREFUSED/)
  const waiting = await start()
  expect(waiting.connectivity()).toMatchObject({ peers: 0, alone: { reason: 'nobody known' } })
  waiting.setBootnodes(refused.addresses())
  await meeting(waiting, refused)
  expect(host.connectivity()).toEqual({ peers: 4, alone: null })
})

test('a stranger that left leaves nothing behind, however much it claimed about itself', async () => {
  // A member of the swarm, which the book knows, and two hosts that say nothing.
  const member = await start()
  const store = memoryStore()
  const { peerId } = member
  store.rows.set(peerId, { peerId, addresses: member.addresses(), isRegistered: true, heardAtMs: Date.now() })
  const peer = await start({ store, lookUp: async ids => ids.map(id => id === peerId) })
  const { node } = peer.host
  const kept = async () => (await node.peerStore.all()).map(({ id }) => id.toString())
  await meeting(peer, member)
  const identified = new Set<string>()
  node.addEventListener('peer:identify', ({ detail }) => identified.add(detail.peerId.toString()))
  const strangers = await Promise.all([startTestHost(), startTestHost()])
  for (const stranger of strangers) await stranger.node.dial(peer.addresses().map(address => multiaddr(address)))
  await until(node, ['peer:identify'], () => strangers.every(({ peerId }) => identified.has(peerId)))
  expect(await kept()).toEqual(expect.arrayContaining(strangers.map(({ peerId }) => peerId)))
  for (const one of [...strangers, member]) await one.stop()
  await vi.waitUntil(async () => (await kept()).every(one => one === peerId), 30_000)
  expect(await kept()).toEqual([peerId])
})
