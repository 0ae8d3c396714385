import { expect, test } from 'vitest'
import { announceable, checkAddresses, encodeAddresses } from './addressAnnouncement.ts'

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

test('places at relays are announced after what can be dialled without one, however many of those there are', () => {
  const relayed = [1, 2, 3].map(port => at(`/ip4/203.0.113.9/tcp/${port}/p2p/16Uiu2HAmRelay/p2p-circuit`))
  const direct = Array.from({ length: 9 }, (_, port) => at(`/ip4/203.0.113.7/tcp/${port + 1}`))
  expect(announceable([...relayed, ...direct])).toEqual([...direct.slice(0, 6), ...relayed.slice(0, 2)])
  expect(announceable(direct)).toEqual(direct.slice(0, 8))
})

test('the bridges of containers keep no public address from being announced', () => {
  const bridges = Array.from({ length: 9 }, (_, i) => at(`/ip4/172.${i + 17}.0.1/tcp/1`))
  const open = [at('/ip4/203.0.113.7/tcp/1'), at('/ip6/2a00::1/tcp/1')]
  expect(announceable([...bridges, ...open])).toEqual([...bridges.slice(0, 6), ...open])
  const through = (host: string) => at(`/ip4/${host}/tcp/1/p2p/16Uiu2HAmRelay/p2p-circuit`)
  const relays = ['172.17.0.1', '172.18.0.1', '203.0.113.9'].map(through)
  expect(announceable(relays)).toEqual([relays[0], relays[2]])
})

test('loopback is announced by a host that has nothing else', () => {
  const local = at('/ip4/127.0.0.1/tcp/1')
  expect(announceable([local])).toEqual([local])
  expect(announceable([local, at('/ip4/192.168.1.7/tcp/1')])).toEqual([at('/ip4/192.168.1.7/tcp/1')])
})

test('an address that is longer than one may be, as a relay may name itself, keeps no other from being announced', () => {
  const direct = at('/ip4/203.0.113.7/tcp/1')
  const long = at(`/dns4/${'a.'.repeat(120)}org/tcp/1/p2p/16Uiu2HAmRelay/p2p-circuit`)
  const multiaddrs = announceable([direct, long])
  expect(multiaddrs).toEqual([direct])
})
