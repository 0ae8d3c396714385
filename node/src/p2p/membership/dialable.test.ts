import { expect, test } from 'vitest'
import { dialable, isOverTcp } from './dialable.ts'

const peerId = '16Uiu2HAkzLY2i7BKTwqj4SBfqaE8EtU7pYnqsVtWt2fyZ4E7SCdc'
const at = (address: string) => `${address}/p2p/${peerId}`

test('loopback is dialled only from a host that itself is on loopback alone', () => {
  const local = at('/ip4/127.0.0.1/tcp/1')
  const remote = at('/ip4/203.0.113.7/tcp/1')
  const own = ['/ip4/127.0.0.1/tcp/9/p2p/x']
  expect(dialable([local, remote], own, false)).toEqual([local, remote])
  expect(dialable([local, remote], [...own, '/ip4/198.51.100.1/tcp/9/p2p/x'], true)).toEqual([remote])
  expect(dialable([local], [], true)).toEqual([])
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
  '/dns4/127.0.0.1/tcp/22',
  '/dns4/0x7f.1/tcp/22',
  '/dns/2130706433/tcp/22',
  '/dns4/127.0.0.1./tcp/22',
  '/dns4/name.999/tcp/22',
  '/dns6/::1/tcp/22',
  '/dns6/[::1]/tcp/22',
  '/unix/%2Frun%2Fservice.sock',
  '/dns4/127.0.0.%31/tcp/80',
  '/dns4/127.0.0.1#x.org/tcp/80',
  '/dns4/127.0.0.1?x.org/tcp/80',
  '/dns4/127.0.0.1:22\\latest\\x.org/tcp/80',
  '/dns4/a.b@127.0.0.1:22#c.org/tcp/80',
  '/dns4/localhost#x.org/tcp/80',
  '/dns4/１２７.０.０.１/tcp/22',
  '/dns4/127.0.0.1\u00ad/tcp/22',
  '/dns4/127.0.0.1../tcp/22',
])('%s leads to this machine, and is not dialled for another peer', address => {
  expect(dialable([`${address}/p2p/x`], ['/ip4/198.51.100.1/tcp/9/p2p/x'], true)).toEqual([])
})

test.each([
  '/ip4/10.0.0.1/tcp/22',
  '/ip4/172.31.9.9/tcp/22',
  '/ip4/192.168.1.1/tcp/80',
  '/ip4/169.254.169.254/tcp/80',
  '/ip4/100.64.0.1/tcp/22',
  '/ip4/224.0.0.1/tcp/22',
  '/ip6/fd00::1/tcp/22',
  '/ip6/fe80::1/tcp/22',
  '/ip6/::ffff:192.168.1.1/tcp/22',
  '/ip6/64:ff9b::c0a8:101/tcp/22',
  '/ip6/2002:c0a8:101::1/tcp/22',
  '/dns4/router/tcp/80',
  '/dns4/nas.LOCAL./tcp/80',
  '/dns4/169.254.169.254/tcp/80',
  '/dns/10.1/tcp/22',
  '/ip4/192.168.1.1/tcp/1/p2p/16Uiu2HAmRelay/p2p-circuit',
])('%s leads into its own network, and is dialled for a peer that is near alone', address => {
  const own = ['/ip4/192.168.1.7/tcp/9/p2p/x']
  expect(dialable([`${address}/p2p/x`], own, false)).toEqual([])
  expect(dialable([`${address}/p2p/x`], own, true)).toEqual([`${address}/p2p/x`])
})

test.each([
  '/ip4/203.0.113.9/tcp/1',
  '/ip4/172.32.0.1/tcp/1',
  '/ip4/100.128.0.1/tcp/1',
  '/ip6/2a00::1/tcp/1',
  '/dns4/a.b.org/tcp/1',
  '/dns4/3com.org/tcp/1',
  '/dns4/0xa.org/tcp/1',
  '/dns4/_peer.xn--mller-kva.org./tcp/1',
  '/dns4/203.0.113.9/tcp/1',
])('%s is dialled for everybody', address => {
  expect(dialable([address], ['/ip4/192.168.1.7/tcp/9/p2p/x'], false)).toEqual([address])
})

test.each([
  '/ip4/203.0.113.7/tcp/1/ws',
  '/dns4/peer.example/tcp/443/wss',
  '/dns4/peer.example/tcp/443/tls/ws',
  '/ip4/203.0.113.7/udp/1/quic-v1',
  '/ip4/203.0.113.7',
  '/ip4/203.0.113.7/tcp/80/ws/p2p/16Uiu2HAmRelay/p2p-circuit',
  '/carrier-pigeon/1',
])('%s is not over TCP alone, and not dialled', address => {
  expect(isOverTcp(at(address))).toBe(false)
  expect(dialable([at(address)], [], true)).toEqual([])
})
