import { expect, test } from 'vitest'
import { doubtOfBootnode, faultOfBootnode } from './bootnodeAddress.ts'

const ID = '/p2p/16Uiu2HAm4UxsNFNAVjjJSPFPf8Aa5f3nUMM92Ti8fbZ6k2R7WbxB'

test.each([
  ['no address', /not a multiaddr/],
  ['/ip4/203.0.113.7/tcp/4001', /without \/p2p/],
  [`/ip4/203.0.113.7/tcp/4001${ID}x`, /not a multiaddr/],
  [`/ip4/0.0.0.0/tcp/4001${ID}`, /to listen at/],
  [`/ip6/::/tcp/4001${ID}`, /to listen at/],
  [`/ip4/127.0.0.1/tcp/4001${ID}`, /loopback/],
  [`/dns4/boot.example/tcp/443/wss${ID}`, /TCP port/],
  [`/unix/%2Frun%2Fpeer.sock${ID}`, /TCP port/],
  [`/dns4/${'a'.repeat(300)}/tcp/4001${ID}`, /longer/],
])('%s is not a valid bootnode of a public swarm', (address, fault) => {
  expect(faultOfBootnode(address, false)).toMatch(fault)
})

test('an address that others can dial is one, and a loopback one where all peers are on one machine', () => {
  expect(faultOfBootnode(`/ip4/203.0.113.7/tcp/4001${ID}`, false)).toBe(null)
  expect(faultOfBootnode(`/dns4/boot.example/tcp/4001${ID}`, false)).toBe(null)
  expect(faultOfBootnode(`/ip4/127.0.0.1/tcp/4001${ID}`, true)).toBe(null)
})

test('a private address is doubted, except where all peers are on one machine', () => {
  const inner = `/ip4/10.0.0.1/tcp/4001${ID}`
  expect([faultOfBootnode(inner, false), doubtOfBootnode(inner, true)]).toEqual([null, null])
  expect(doubtOfBootnode(inner, false)).toMatch(/^private: peers of other networks cannot dial it/)
  expect(doubtOfBootnode(`/dns4/boot.example/tcp/4001${ID}`, false)).toBe(null)
})
