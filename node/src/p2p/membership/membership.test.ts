import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createMembership } from './membership.ts'

const [publicBootnode, privateBootnode] = ['/ip4/203.0.113.1/tcp/1/p2p/boot', '/ip4/192.168.1.9/tcp/1/p2p/boot']

type Own = Partial<Parameters<typeof createMembership>[0]>

function scene(bootnode: string, connections: { peerId: string; address: string }[] = [], own: Own = {}) {
  return createMembership({
    ...{ ownId: 'own', bootnodes: [bootnode], targetPeers: 16, maxConnections: 128, connections: () => connections },
    ...{
      ...{ isBanned: () => false, isLocal: () => false, ownHosts: () => new Set() },
      onLearnt() {},
      onDropped() {},
      clock: createManualClock(),
      logger: silentLogger,
      random: () => 0,
    },
    ...own,
  })
}

test('a peer is near where it, or a bootnode, is connected from a private network, or a bootnode is named there', () => {
  const away = { peerId: 'a', address: '/ip4/203.0.113.7/tcp/1' }
  const near = { peerId: 'a', address: '/ip4/192.168.1.7/tcp/1' }
  const bootnode = { peerId: 'boot', address: '/ip4/172.18.0.2/tcp/1' }
  const areNear = (bootnodes: string, ...connections: (typeof away)[]) =>
    ['a', 'b'].map(scene(bootnodes, connections).isNear)
  expect(areNear(publicBootnode, away)).toEqual([false, false])
  expect(areNear(publicBootnode, near)).toEqual([true, false])
  expect(areNear('/dns4/boot.example/tcp/1/p2p/boot', bootnode)).toEqual([true, true])
  expect(areNear(privateBootnode)).toEqual([true, true])
})

test('an address is named by the book or as a bootnode, for its own peer alone', () => {
  const membership = scene('/ip4/192.168.1.9/tcp/1')
  membership.learn('a', ['/ip4/10.0.0.1/tcp/1/p2p/a'])
  const asked = ['/ip4/10.0.0.1/tcp/1/p2p/a', '/ip4/10.0.0.1/tcp/1/p2p/b', '/ip4/10.0.0.1/tcp/2/p2p/a']
  expect(asked.map(membership.names)).toEqual([true, false, false])
  expect(['/ip4/192.168.1.9/tcp/1', '/ip4/192.168.1.9/tcp/1/p2p/a'].map(membership.names)).toEqual([true, false])
})

test('a bootnode that announces its addresses is one known peer, with the address that it is named at', () => {
  const membership = scene(publicBootnode)
  membership.learn('boot', ['/ip4/203.0.113.2/tcp/1/p2p/boot'])
  expect(membership.status().known).toEqual({ members: 1, strangers: 0 })
  membership.learn('a', ['/ip4/203.0.113.3/tcp/1/p2p/a'])
  expect(membership.known()).toEqual(['boot', 'a'])
  expect(membership.addressesOf('boot')).toEqual([publicBootnode, '/ip4/203.0.113.2/tcp/1/p2p/boot'])
})

test('an older copy of a record changes no address, neither in the book nor in the store of libp2p', () => {
  const learnt: string[] = []
  const membership = scene(publicBootnode, [], { onLearnt: (_, addresses) => void learnt.push(...addresses) })
  const [newer, older] = ['/ip4/203.0.113.2/tcp/1/p2p/a', '/ip4/203.0.113.66/tcp/1/p2p/a'] as const
  expect([membership.learn('a', [newer], -1_000), membership.learn('a', [older], -2_000)]).toEqual([true, true])
  expect([membership.addressesOf('a'), learnt]).toEqual([[newer], [newer]])
  membership.learn('a', [older], -500)
  expect(membership.addressesOf('a')).toEqual([older])
})

test.each([
  { from: '198.51.100.7', isLocal: false, kept: 8 },
  { from: '127.0.0.1', isLocal: false, kept: 8 },
  { from: '127.0.0.1', isLocal: true, kept: 20 },
])(
  'strangers connected from $from have $kept of 20 places in the book, whatever they claim, if the host is local: $isLocal',
  ({ from, isLocal, kept }) => {
    const connections = Array.from({ length: 20 }, (_, i) => ({
      peerId: `stranger ${i}`,
      address: `/ip4/${from}/tcp/${i}`,
    }))
    const lookUp = async (ids: readonly string[]) => ids.map(() => false)
    const membership = scene(publicBootnode, connections, { isLocal: () => isLocal, lookUp })
    const learnt = connections.filter(({ peerId }, i) =>
      membership.learn(peerId, [`/ip4/203.0.${i}.1/tcp/1/p2p/${peerId}`]),
    )
    expect(learnt.length).toBe(kept)
    expect(new Set(connections.map(({ peerId }) => membership.sourceOf(peerId))).size).toBe(isLocal ? 20 : 1)
  },
)

test('a decision on a slot asks once for all connections over loopback whether the host is local', async () => {
  const connections = Array.from({ length: 100 }, (_, i) => ({
    peerId: `${i}`,
    address: `/ip4/127.0.0.1/tcp/${i + 1}`,
  }))
  let asked = 0
  function isLocal(): boolean {
    asked += 1
    return false
  }
  const membership = scene(publicBootnode, connections, { isLocal })
  expect(await membership.admit('newcomer', '/ip4/127.0.0.1/tcp/999')).toEqual({ admit: true })
  expect(asked).toBe(1)
  membership.connected('newcomer')
  expect(asked).toBe(2)
})
