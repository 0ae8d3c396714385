import { connect as connectTcp } from 'node:net'
import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { multiaddr } from '@multiformats/multiaddr'
import { expect, test, vi } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { AddressError, PortTakenError } from './errors.ts'
import { peerIdOf } from './keys/peerPrivateKey.ts'
import { connect, newPrivateKey, startTestHost, until } from './testHosts.ts'

test('a host has the peer id of its key, and says where it listens', async () => {
  const privateKey = await newPrivateKey()
  const host = await startTestHost({ privateKey })
  expect(host.peerId).toBe(peerIdOf(privateKey))
  expect(host.peerId).toMatch(/^16Uiu2HA/)
  expect(host.addresses()[0]).toMatch(new RegExp(`^/ip4/127.0.0.1/tcp/\\d+/p2p/${host.peerId}$`))
  await host.stop()
})

test('an RSA key, as in a swarm.pem, is a peer like any other', async () => {
  const privateKey = privateKeyToProtobuf(await generateKeyPair('RSA', 2048))
  const [rsa, other] = await Promise.all([startTestHost({ privateKey }), startTestHost()])
  await connect(other, rsa)
  expect(rsa.peerId).toMatch(/^Qm/)
  expect(other.connectedPeers()).toEqual([rsa.peerId])
  await Promise.all([rsa.stop(), other.stop()])
})

test('a host remembers the release that a peer says it runs, and nothing of who says anything else', async () => {
  const host = await startTestHost({ release: '0.4.0' })
  const releases = ['0.5.12', '1.2', '1.2.3\u001b[2J', undefined]
  const peers = await Promise.all(releases.map(release => startTestHost(release === undefined ? {} : { release })))
  const identified = new Set<string>()
  host.node.addEventListener('peer:identify', ({ detail }) => identified.add(detail.peerId.toString()))
  for (const peer of peers) await connect(peer, host)
  await until(host.node, ['peer:identify'], () => identified.size === peers.length)
  expect(peers.map(({ peerId }) => host.releaseOf(peerId))).toEqual(['0.5.12', null, null, null])
  expect(host.releaseOf('16Uiu2HAmNobody')).toBe(null)
  await Promise.all([host, ...peers].map(one => one.stop()))
})

test('hosts connect over IPv6, or IPv4 where the machine has no other', async () => {
  const listen = ['/ip4/127.0.0.1/tcp/0', '/ip6/::1/tcp/0']
  const [server, client] = await Promise.all([startTestHost({ listen }), startTestHost()])
  const [last] = server.addresses().slice(-1)
  await connect(client, { ...server, addresses: () => (last === undefined ? [] : [last]) })
  expect(client.connectedPeers()).toEqual([server.peerId])
  await Promise.all([server.stop(), client.stop()])
})

test('a port that is taken is said so', async () => {
  const first = await startTestHost()
  const port = first.addresses()[0]?.split('/')[4]
  await expect(startTestHost({ listen: [`/ip4/127.0.0.1/tcp/${port}`] })).rejects.toBeInstanceOf(PortTakenError)
  await first.stop()
})

test.each([
  { listen: ['/ip4/127.0.0.1/tcp/0/ws'] },
  { listen: ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0/ws'] },
  { listen: ['/ip4/127.0.0.1/tcp/0/ws', '/p2p-circuit'] },
  { announce: ['/dns4/peer.example/tcp/443/wss'] },
])(
  'a host has no WebSockets ($listen$announce), whose connections nothing would limit before their handshake',
  async at => {
    await expect(startTestHost(at)).rejects.toBeInstanceOf(AddressError)
  },
)

test('bytes that are not a private key are refused', async () => {
  await expect(startTestHost({ privateKey: new Uint8Array(8) })).rejects.toBeInstanceOf(AddressError)
})

test('a banned peer is hung up on at the door, in both directions', async () => {
  const [a, b] = await Promise.all([startTestHost(), startTestHost()])
  a.guard.ban(b.peerId, 'test')
  await expect(connect(a, b)).rejects.toThrow()
  await b.node.dial(multiaddr(a.addresses()[0])).catch(() => {})
  expect(a.connectedPeers()).toEqual([])
  await Promise.all([a.stop(), b.stop()])
})

test('forbidden addresses are not dialled, from any of libp2p’s sources', async () => {
  const b = await startTestHost()
  const a = await startTestHost({ mayDial: address => !b.addresses().includes(address) })
  await a.node.peerStore.patch(b.node.peerId, { multiaddrs: b.node.getMultiaddrs() })
  await expect(connect(a, b)).rejects.toThrow('gater denied')
  await expect(a.node.dialProtocol(b.node.peerId, '/ipfs/ping/1.0.0')).rejects.toThrow('gater denied')
  await Promise.all([a.stop(), b.stop()])
})

test('a relay has places for those that it knows, and for nobody else', async () => {
  const [member, stranger] = [await newPrivateKey(), await newPrivateKey()]
  const relay = await startTestHost({ relays: true, reserves: async peerId => peerId === peerIdOf(member) })
  const listen = relay.addresses().map(address => `${address}/p2p-circuit`)
  const inside = await startTestHost({ privateKey: member, listen })
  expect(inside.addresses()).toEqual(listen.map(address => `${address}/p2p/${inside.peerId}`))
  const outside = await startTestHost({ privateKey: stranger, listen }).catch(() => null)
  expect(outside?.addresses() ?? []).toEqual([])
  for (const host of [outside, inside, relay]) await host?.stop()
})

test('a relay connects those that it may, and nobody else', async () => {
  const asked: string[] = []
  const relay = await startTestHost({ relays: true, relaysFor: peerId => asked.push(peerId) > 1 })
  const [place] = relay.addresses().map(address => `${address}/p2p-circuit`)
  const [hidden, other] = [await startTestHost({ listen: [place ?? ''] }), await startTestHost()]
  try {
    await connect(other, relay)
    await expect(connect(other, hidden)).rejects.toThrow()
    await connect(other, hidden)
    expect(asked).toEqual([other.peerId, other.peerId])
  } finally {
    await Promise.all([hidden, other, relay].map(host => host.stop()))
  }
})

test('a relay that did not know a peer is asked again, over the same connection', async () => {
  const clock = createManualClock()
  let [asked, isKnown] = [0, false]
  const reserves = async () => {
    asked += 1
    return isKnown
  }
  const relay = await startTestHost({ relays: true, reserves })
  const hidden = await startTestHost({ listen: ['/p2p-circuit'], clock })
  try {
    await connect(hidden, relay)
    await vi.waitUntil(() => asked > 0, 30_000)
    isKnown = true
    // Each step is a ping as well, and a dozen of them at once end the connection.
    const patient = { timeout: 30_000, interval: 500 }
    await vi.waitUntil(() => {
      clock.advance(60_000)
      return hidden.addresses().length > 0
    }, patient)
    expect(hidden.addresses()[0]).toMatch(new RegExp(`/p2p/${relay.peerId}/p2p-circuit/p2p/${hidden.peerId}$`))
    expect(relay.connections().length).toBe(1)
  } finally {
    await Promise.all([hidden.stop(), relay.stop()])
  }
})

test('a host that stops takes no new connections while it closes those that it has', async () => {
  const [stopping, peer, late] = await Promise.all([startTestHost(), startTestHost(), startTestHost()])
  await connect(peer, stopping)
  const address = multiaddr(stopping.addresses()[0])
  const [connection] = stopping.node.getConnections()
  if (connection === undefined) throw new Error('not connected')
  const dialled: string[] = []
  const close = connection.close
  connection.close = async options => {
    await late.node.dial(address).then(
      () => dialled.push('in'),
      () => dialled.push('out'),
    )
    return close.call(connection, options)
  }
  await stopping.stop()
  expect(dialled[0]).toBe('out')
  await Promise.all([peer.stop(), late.stop()])
})

test('a stopped host leaves no handle open', async () => {
  const sockets = (): number => process.getActiveResourcesInfo().filter(name => name.startsWith('TCP')).length
  const before = sockets()
  const [a, b] = await Promise.all([startTestHost({ topics: ['t'] }), startTestHost({ topics: ['t'] })])
  await connect(a, b)
  await Promise.all([a.stop(), b.stop()])
  // A listener that has closed is gone some turns later; one that has not stays, and the test runs out of time.
  while (sockets() > before) await new Promise(resolve => setImmediate(resolve))
})

test('connections that say nothing keep nobody out', async () => {
  const clock = createManualClock()
  const [host, other] = await Promise.all([startTestHost({ clock }), startTestHost()])
  const port = Number(host.addresses()[0]?.split('/')[4])
  const silent = Array.from({ length: 80 }, () => connectTcp(port, '127.0.0.1').on('error', () => {}))
  try {
    // They come from this machine too, so that some time has to pass; libp2p itself would end them after ten seconds.
    const isIn = vi.waitUntil(() => {
      clock.advance(3_000)
      return connect(other, host).then(
        () => true,
        () => false,
      )
    }, 9_000)
    expect(await isIn).toBe(true)
  } finally {
    for (const socket of silent) socket.destroy()
    await Promise.all([host.stop(), other.stop()])
  }
})

test('a peer has two connections at a time, the newest: more of one id would take the places of everybody', async () => {
  const [host, other] = await Promise.all([startTestHost(), startTestHost()])
  const [address] = host.addresses()
  const opened: string[] = []
  host.node.addEventListener('connection:open', ({ detail }) => opened.push(detail.id))
  try {
    for (let i = 0; i < 5; i++) await other.node.dial(multiaddr(address), { force: true })
    await until(host.node, ['connection:open'], () => opened.length === 5)
    const left = host.node.getConnections().filter(({ status }) => status === 'open')
    expect(left.map(({ id }) => id)).toEqual(opened.slice(-2))
  } finally {
    await Promise.all([host.stop(), other.stop()])
  }
})
