import { expect, test } from 'vitest'
import { originOf } from './origin.ts'
import { decideSlot, defaultSlotLimits, type Held } from './slots.ts'

const limits = { ...defaultSlotLimits, total: 20 }
const at = (host: string): string => `/ip4/${host}/tcp/1`
const subnetOf = (host: string): string => originOf(at(host))?.subnet ?? ''
const member = (i: number): Held => ({
  ...{ peerId: `member ${i}`, address: at(`198.51.${i}.1`), source: subnetOf(`198.51.${i}.1`), isMember: true },
  ...{ isHere: true, hasMet: true },
})
const stranger = (i: number, host = `203.0.${i}.1`): Held => ({
  peerId: `stranger ${i}`,
  ...{ address: at(host), source: subnetOf(host), isMember: false },
  ...{ isHere: true, hasMet: true },
})
const many = (count: number, of: (i: number) => Held): Held[] => Array.from({ length: count }, (_, i) => of(i))
const decide = (newcomer: Held, held: Held[]) => decideSlot(newcomer, held, limits, () => 0.5)

test('throwaway identities of one host get four slots, those of one subnet eight', () => {
  const host = many(4, i => stranger(i, '203.0.113.9'))
  expect(decide(stranger(99, '203.0.113.9'), host)).toEqual({ admit: false, reason: 'host' })
  expect(decide(stranger(99, '203.0.113.8'), host)).toEqual({ admit: true })
  const subnet = many(8, i => stranger(i, `203.0.113.${i}`))
  expect(decide(stranger(99, '203.0.113.99'), subnet)).toEqual({ admit: false, reason: 'subnet' })
})

test('an IPv6 subnet is a /48, and an IPv4-mapped address counts as IPv4', () => {
  const held = many(8, i => ({ ...stranger(i), address: `/ip6/2001:db8:7:${i}::1/tcp/1` }))
  const from = (host: string): Held => ({ ...stranger(99), address: `/ip6/${host}/tcp/1` })
  expect(decide(from('2001:db8:7:ffff::2'), held)).toEqual({ admit: false, reason: 'subnet' })
  expect(decide(from('2001:db8:8::2'), held)).toEqual({ admit: true })
  expect(
    decide(
      from('::ffff:203.0.113.9'),
      many(4, i => stranger(i, '203.0.113.9')),
    ),
  ).toEqual({
    admit: false,
    reason: 'host',
  })
})

test('a whole swarm on loopback is within the limits', () => {
  expect(
    decide(
      stranger(99, '127.0.0.1'),
      many(9, i => stranger(i, '127.0.0.1')),
    ),
  ).toEqual({ admit: true })
  expect(
    decide(
      { ...stranger(99), address: '/ip6/::1/tcp/1' },
      many(9, i => stranger(i, '127.0.0.1')),
    ),
  ).toEqual({
    admit: true,
  })
})

test('strangers get half of the slots', () => {
  expect(
    decide(
      stranger(99),
      many(9, i => stranger(i)),
    ),
  ).toEqual({ admit: true })
  expect(
    decide(
      stranger(99),
      many(10, i => stranger(i)),
    ),
  ).toEqual({ admit: false, reason: 'strangers' })
  expect(
    decide(
      member(99),
      many(10, i => stranger(i)),
    ),
  ).toEqual({ admit: true })
})

test('strangers of a few subnets give way to those of others, until their numbers are as even as they can be', () => {
  const crowd = many(10, i => stranger(i, `203.0.${i % 2}.${i}`))
  expect(decide(stranger(99, '203.0.9.1'), crowd)).toEqual({ admit: true, evict: 'stranger 4' })
  const even = [...crowd.slice(0, 4), ...many(6, i => stranger(10 + i))]
  expect(decide(stranger(99, '203.0.10.9'), even)).toEqual({ admit: false, reason: 'strangers' })
  const refused = { admit: false, reason: 'strangers' }
  const arriving = crowd.map(one => ({ ...one, hasMet: false }))
  expect(decide(stranger(99, '203.0.9.1'), arriving)).toEqual(refused)
  const oneArrives = crowd.map((one, i) => ({ ...one, isHere: i % 2 === 1 }))
  expect(decide(stranger(99, '203.0.9.1'), oneArrives)).toEqual({ admit: true, evict: 'stranger 5' })
  expect(
    decide(
      stranger(99, '203.0.9.1'),
      many(10, i => stranger(i)),
    ),
  ).toEqual(refused)
})

test('if all slots are taken, a stranger gives way to a registered peer and to nobody else', () => {
  const full = [...many(15, member), ...many(5, i => stranger(i))]
  expect(decide(member(99), full)).toEqual({ admit: true, evict: 'stranger 2' })
  expect(decide(stranger(99), full)).toEqual({ admit: false, reason: 'full' })
  expect(decide(member(99), many(20, member))).toEqual({ admit: false, reason: 'full' })
})

test('if members hold all slots, a newcomer is refused; at a bootnode a member that was connected gives way, once', () => {
  const held = many(20, i => ({ ...member(i), hasMet: i === 3 }))
  const newcomer = { ...member(99), isHere: false, hasMet: false }
  expect(decide(newcomer, held)).toEqual({ admit: false, reason: 'full' })
  const atBootnode = (one: Held, there: Held[]) =>
    decideSlot(one, there, { ...limits, membersGiveWay: true }, () => 0.5)
  expect(atBootnode(newcomer, held)).toEqual({ admit: true, evict: 'member 3' })
  const full = { admit: false, reason: 'full' }
  expect(atBootnode({ ...newcomer, hasMet: true }, held)).toEqual(full)
  expect(
    atBootnode(
      newcomer,
      held.map(one => ({ ...one, hasMet: false })),
    ),
  ).toEqual(full)
  expect(atBootnode(stranger(99), held)).toEqual(full)
})

test('a peer that is about to connect cannot be disconnected', () => {
  const full = many(20, i => ({ ...stranger(i), isHere: i === 7 }))
  expect(decide(member(99), full)).toEqual({ admit: true, evict: 'stranger 7' })
  expect(decide(member(99), full.filter(({ isHere }) => !isHere).concat(member(7)))).toEqual({
    admit: false,
    reason: 'full',
  })
})

test('a member that comes through a relay takes the slot of another that did, and of nobody that came straight from its host', () => {
  const relayed = (i: number): Held => ({
    ...member(i),
    address: `/ip4/198.51.0.9/tcp/1/p2p/relay/p2p-circuit/p2p/member ${i}`,
  })
  const straight = { ...member(50), address: at('198.51.0.9') }
  const full = [straight, ...many(15, relayed)]
  expect(decide(relayed(99), full)).toEqual({ admit: true, evict: 'member 7' })
  expect(
    decide(
      { ...relayed(99), isMember: false },
      many(4, i => ({ ...relayed(i), isMember: false })),
    ),
  ).toEqual({
    admit: false,
    reason: 'host',
  })
  expect(decide({ ...member(99), address: at('198.51.0.9') }, full)).toEqual({ admit: false, reason: 'host' })
})
