import { expect, test } from 'vitest'
import { z } from 'zod'
import { networkSettings } from './networkConfig.ts'

const schema = z.strictObject(networkSettings)

test('by default a peer listens on some port of both families and at relays, and is quiet on the local network', () => {
  const listen = ['/ip4/0.0.0.0/tcp/0', '/ip6/::/tcp/0', '/p2p-circuit']
  expect(schema.parse({})).toMatchObject({
    listen,
    mdns: false,
    upnp: false,
    'target-peers': 16,
    'max-connections': 128,
  })
})

test.each([
  { announce: ['0.0.0.0:38331'] },
  { announce: ['/dns4/peer.example/tcp/443/wss'] },
  { announce: ['/p2p-circuit'] },
  { listen: ['/ip4/0.0.0.0/tcp/0', '/ip4/0.0.0.0/tcp/0/ws'] },
  { listen: ['/ip4/0.0.0.0/udp/4001/quic-v1', '/p2p-circuit'] },
  { bootnodes: ['/dns4/boot.example/tcp/443/wss/p2p/16Uiu2HAm4UxsNFNAVjjJSPFPf8Aa5f3nUMM92Ti8fbZ6k2R7WbxB'] },
])('$listen$announce$bootnodes has an address that is not over TCP, and is refused with an example', settings => {
  const parsed = schema.safeParse(settings)
  expect(parsed.error?.issues[0]?.message).toContain('/ip4/0.0.0.0/tcp/4001')
})

test('an address may end in a peer id, or in a place at a relay', () => {
  const relayed = '/dns4/relay.example/tcp/4001/p2p/16Uiu2HAm4UxsNFNAVjjJSPFPf8Aa5f3nUMM92Ti8fbZ6k2R7WbxB/p2p-circuit'
  const settings = { listen: ['/ip6zone/eth0/ip6/fe80::1/tcp/0', relayed], announce: [`${relayed}/p2p/16Uiu2HAmPeer`] }
  expect(schema.parse(settings)).toMatchObject(settings)
})
