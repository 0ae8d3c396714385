import { expect, test } from 'vitest'
import { announceable, checkAddresses, dialable, encodeAddresses, isMultiaddr } from './addressAnnouncement.ts'

const peerId = '16Uiu2HAkzLY2i7BKTwqj4SBfqaE8EtU7pYnqsVtWt2fyZ4E7SCdc'
const at = (address: string, peer = peerId) => `${address}/p2p/${peer}`
const encode = (multiaddrs: string[], peer = peerId) =>
  encodeAddresses({ v: 1, kind: 'addresses', chainId: 31337, peerId: peer, multiaddrs })

test('a peer may announce its own addresses', () => {
  const bytes = encode([at('/ip4/203.0.113.7/tcp/4001')])
  expect(checkAddresses(bytes, peerId, 31337).verdict).toBe('accept')
})

test('addresses of another peer, another sender and another chain are rejected', () => {
  expect(checkAddresses(encode([at('/ip4/203.0.113.7/tcp/1', '16Uiu2HAmOther')]), peerId, 31337).verdict).toBe('reject')
  expect(checkAddresses(encode([at('/ip4/203.0.113.7/tcp/1')]), '16Uiu2HAmOther', 31337).verdict).toBe('reject')
  expect(checkAddresses(encode([at('/ip4/203.0.113.7/tcp/1')]), peerId, 1).verdict).toBe('reject')
})

test('loopback is dialled only from a host that itself is on loopback alone', () => {
  const local = at('/ip4/127.0.0.1/tcp/1')
  const remote = at('/ip4/203.0.113.7/tcp/1')
  const own = ['/ip4/127.0.0.1/tcp/9/p2p/x']
  expect(dialable([local, remote], own)).toEqual([local, remote])
  expect(dialable([local, remote], [...own, '/ip4/198.51.100.1/tcp/9/p2p/x'])).toEqual([remote])
  expect(dialable([local], [])).toEqual([])
})

test.each([
  '/ip4/0.0.0.0/tcp/22',
  '/ip4/127.9.9.9/tcp/22',
  '/ip6/::/tcp/22',
  '/ip6/0:0:0:0:0:0:0:1/tcp/22',
  '/ip6/::ffff:127.0.0.1/tcp/22',
  '/ip6/::ffff:7f00:1/tcp/22',
  '/ip6zone/lo/ip6/::1/tcp/22',
  '/dns4/LOCALHOST/tcp/22',
  '/dns/a.localhost./tcp/22',
])('%s leads to this machine, and is not dialled for another peer', address => {
  expect(dialable([`${address}/p2p/x`], ['/ip4/198.51.100.1/tcp/9/p2p/x'])).toEqual([])
})

test('an address of a protocol unknown here is told from others', () => {
  expect(isMultiaddr(at('/ip4/203.0.113.7/tcp/1'))).toBe(true)
  expect(isMultiaddr(at('/carrier-pigeon/1'))).toBe(false)
})

test('places at relays are announced after what can be dialled without one, however many of those there are', () => {
  const relayed = [1, 2, 3].map(port => at(`/ip4/203.0.113.9/tcp/${port}/p2p/16Uiu2HAmRelay/p2p-circuit`))
  const direct = Array.from({ length: 9 }, (_, port) => at(`/ip4/203.0.113.7/tcp/${port + 1}`))
  expect(announceable([...relayed, ...direct])).toEqual([...direct.slice(0, 6), ...relayed.slice(0, 2)])
  expect(announceable(direct)).toEqual(direct.slice(0, 8))
})
