import { multiaddr } from '@multiformats/multiaddr'
import { expect, test } from 'vitest'
import { ZERO_HASH } from '#core/hex.ts'
import { LOOPBACK, startTestHost, until } from '#p2p/testHosts.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { announced, newPayload, startTestPeer } from './p2pNetworks.ts'

test('peers without an open port give each other payloads over one connection through a bootnode that relays', async () => {
  const bootnode = await startTestPeer({ relays: true })
  const bootnodes = bootnode.addresses()
  const hidden = await startTestPeer({ listen: ['/p2p-circuit'], bootnodes })
  // Nobody listens where it says: the only connection is the one that it opens at the relay.
  const asking = await startTestPeer({ announce: ['/ip4/127.0.0.1/tcp/1'], bootnodes })
  try {
    // More than a relay gives by libp2p's own limits.
    const payload = newPayload(300_000)
    const contentId = hidden.put(payload)
    const [heard] = await Promise.all([
      announced(asking, 'rollouts', ({ peerId }) => peerId === hidden.peerId),
      hidden.publish({
        ...{ kind: 'rollouts', round: 5, contentId, root: ZERO_HASH, policyHash: ZERO_HASH },
        ...{ count: 1, size: payload.byteLength },
      }),
    ])
    // It hears the address at the relay, and dials it unasked.
    await until(asking.host.node, ['peer:connect'], () => asking.connectedPeers().includes(hidden.peerId), 40_000)
    const ends = asking.host.connections().filter(({ peerId }) => peerId === hidden.peerId)
    expect(ends.every(({ address }) => address.includes(`/p2p/${bootnode.peerId}/p2p-circuit`))).toBe(true)
    const signal = AbortSignal.timeout(20_000)
    const wanted = { contentId: heard.contentId, maxBytes: heard.size, signal }
    expect(await asking.fetchPayload({ ...wanted, peer: hidden.peerId })).toEqual(payload)
    asking.put(payload)
    expect(await hidden.fetchPayload({ ...wanted, peer: asking.peerId })).toEqual(payload)
    expect(asking.host.connections().filter(({ peerId }) => peerId === hidden.peerId)).toEqual(ends)
  } finally {
    for (const peer of [asking, hidden, bootnode]) await peer.stop()
  }
})

test('a peer takes a place at a bootnode alone, whoever else relays: only as its relay likes is it reached', async () => {
  const [trap, bootnode] = await Promise.all([startTestPeer({ relays: true }), startTestPeer({ relays: true })])
  const peer = await startTestPeer({ listen: [LOOPBACK, '/p2p-circuit'] })
  const { node } = peer.host
  const places = () => peer.addresses().filter(address => address.includes('/p2p-circuit'))
  try {
    const identified = Promise.withResolvers<void>()
    node.addEventListener('peer:identify', () => identified.resolve())
    await node.dial(trap.addresses().map(address => multiaddr(address)))
    await identified.promise
    expect(peer.reachability()).toEqual({ by: 'nothing', publicAddresses: [] })
    // Places are asked for one after the other: the trap's would come first.
    peer.setBootnodes(bootnode.addresses())
    await until(node, ['self:peer:update'], () => places().length > 0, 30_000)
    expect(places()).toEqual([`${bootnode.addresses()[0]}/p2p-circuit/p2p/${peer.peerId}`])
    expect(peer.reachability()).toEqual({ by: 'relay', publicAddresses: [] })
  } finally {
    for (const one of [peer, bootnode, trap]) await one.stop()
  }
})

test.each([
  ['the one that dialled', 'asking'],
  ['the one that was dialled', 'asked'],
])('a relayed connection becomes a direct one where only %s can be reached', async (_, reached) => {
  const relay = await startTestHost({ relays: true })
  const place = `${relay.addresses()[0]}/p2p-circuit`
  const port = await freePort()
  // A name counts as a public address, as hole punching needs it.
  const open = { listen: [`/ip4/127.0.0.1/tcp/${port}`], announce: [`/dns4/localhost/tcp/${port}`] }
  // Nobody listens there.
  const closed = { listen: [], announce: ['/dns4/localhost/tcp/1'] }
  const { listen, announce } = reached === 'asked' ? open : closed
  const asked = await startTestHost({ listen: [...listen, place], announce: [...announce, place] })
  const asking = await startTestHost(reached === 'asking' ? open : closed)
  const between = () => asking.connections().filter(({ peerId }) => peerId === asked.peerId)
  try {
    await asking.node.dial(multiaddr(`${place}/p2p/${asked.peerId}`))
    expect(between().map(({ address }) => address)).toEqual([expect.stringContaining('/p2p-circuit')])
    const isDirect = () => between().length > 0 && between().every(({ address }) => !address.includes('/p2p-circuit'))
    await until(asking.node, ['connection:open', 'connection:close'], isDirect)
    expect(between().length).toBe(1)
    expect(relay.connectedPeers().sort()).toEqual([asked.peerId, asking.peerId].sort())
  } finally {
    for (const host of [asking, asked, relay]) await host.stop()
  }
})
