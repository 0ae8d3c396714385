import { expect, test } from 'vitest'
import { ZERO_HASH } from '#core/hex.ts'
import { until } from '#p2p/testHosts.ts'
import { announced, newBody, startTestPeer } from './p2pNetworks.ts'

test('a peer without an open port is reached by another one, and gives it a payload, through a bootnode that relays', async () => {
  const bootnode = await startTestPeer({ relays: true })
  const bootnodes = bootnode.addresses()
  const hidden = await startTestPeer({ listen: ['/p2p-circuit'], bootnodes })
  // It has no open port either: else the hidden one would dial it.
  const asking = await startTestPeer({ listen: ['/p2p-circuit'], bootnodes })
  try {
    // More than a relay gives by libp2p's own limits.
    const body = newBody(300_000)
    const contentId = hidden.put(body)
    const [heard] = await Promise.all([
      announced(asking, 'rollouts', ({ peerId }) => peerId === hidden.peerId),
      hidden.publish({
        ...{ kind: 'rollouts', round: 5, contentId, root: ZERO_HASH, policyHash: ZERO_HASH },
        ...{ count: 1, size: body.byteLength },
      }),
    ])
    // It hears the address at the relay, and dials it by itself.
    await until(asking.host.node, ['peer:connect'], () => asking.connectedPeers().includes(hidden.peerId), 40_000)
    const ends = asking.host.connections().filter(({ peerId }) => peerId === hidden.peerId)
    expect(ends.every(({ address }) => address.includes(`/p2p/${bootnode.peerId}/p2p-circuit`))).toBe(true)
    const signal = AbortSignal.timeout(20_000)
    const got = await asking.fetchBody({
      contentId: heard.contentId,
      maxBytes: heard.size,
      peer: hidden.peerId,
      signal,
    })
    expect(got).toEqual(body)
  } finally {
    for (const peer of [asking, hidden, bootnode]) await peer.stop()
  }
})
