import { expect, test } from 'vitest'
import { startTestHost } from '../testHosts.ts'
import { reachabilityOf, sayReachability } from './reachability.ts'

const me = '/p2p/16Uiu2HAmMe'
const home = `/ip4/192.168.1.2/tcp/4001${me}`
const open = `/ip4/203.0.113.7/tcp/4001${me}`
const relayed = `/ip4/198.51.100.4/tcp/4001/p2p/16Uiu2HAmRelay/p2p-circuit${me}`

test('a peer is reached directly at public addresses, else through a relay, else not', () => {
  expect(reachabilityOf([home, open, relayed])).toEqual({ by: 'direct', publicAddresses: [open] })
  expect(reachabilityOf([home, `/dns4/peer.example/tcp/443${me}`]).by).toBe('direct')
  expect(reachabilityOf([home, relayed])).toEqual({ by: 'relay', publicAddresses: [] })
  const hidden = ['/ip4/127.0.0.1/tcp/4001', '/ip6/::1/tcp/4001', '/dns4/localhost/tcp/1', '/unix/%2Frun%2Fpeer.sock']
  for (const own of [home, ...hidden.map(address => `${address}${me}`)])
    expect(reachabilityOf([own]), own).toEqual({ by: 'nothing', publicAddresses: [] })
})

test('a peer that cannot be reached is told what to do', () => {
  expect(sayReachability(reachabilityOf([open]), false)).toEqual({ found: `directly, at ${open}`, advice: null })
  expect(sayReachability(reachabilityOf([relayed]), false)).toEqual({ found: 'through a relay', advice: null })
  expect(sayReachability(reachabilityOf([home]), false).advice).toContain('--upnp')
  expect(sayReachability(reachabilityOf([home]), true)).toMatchObject({ advice: null })
})

test('a host on loopback has no public address, one that announces an address has that', async () => {
  const announce = ['/ip4/203.0.113.7/tcp/4001']
  const [hidden, announced] = await Promise.all([startTestHost(), startTestHost({ announce })])
  expect(reachabilityOf(hidden.addresses()).by).toBe('nothing')
  expect(reachabilityOf(announced.addresses())).toEqual({
    by: 'direct',
    publicAddresses: [`/ip4/203.0.113.7/tcp/4001/p2p/${announced.peerId}`],
  })
  await Promise.all([hidden.stop(), announced.stop()])
})
