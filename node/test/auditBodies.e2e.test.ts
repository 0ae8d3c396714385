import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { formatSizes } from '#core/payloads/bodySizes.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { testSwarm } from '#p2p/gossip/testAnnouncement.ts'
import { createPeerBodies } from '#roles/audit/peerBodies.ts'
import { announced, newBody, startTestPeer } from './p2pNetworks.ts'

test('an auditor fetches a payload from the peer that the chain names, and is told why without a bootnode', async () => {
  const bootnode = await startTestPeer()
  const author = await startTestPeer({ bootnodes: bootnode.addresses() })
  const ended = new AbortController()
  const options = {
    ...{ swarm: testSwarm, clock: systemClock, logger: silentLogger, signal: ended.signal, currentRound: () => 5 },
    reads: {
      readPeerId: async () => author.peerId,
      readRegistered: async (keys: readonly unknown[]) => keys.map(() => true),
    },
    maxBytes: () => formatSizes.rollouts,
  }
  const bodies = createPeerBodies({ ...options, bootnodes: bootnode.addresses() })
  const alone = createPeerBodies({ ...options, bootnodes: [] })
  try {
    // A payload of an old round, which nobody announces any more.
    const body = newBody()
    const wanted = {
      kind: 'rollouts',
      round: 2,
      peerKey: peerKeyOf(author.peerId),
      contentId: author.put(body),
    } as const
    const hashes = { contentId: ZERO_HASH, root: ZERO_HASH, policyHash: ZERO_HASH }
    // By then the bootnode knows where the author is.
    await Promise.all([
      announced(bootnode, 'rollouts', ({ peerId }) => peerId === author.peerId),
      author.publish({ ...{ kind: 'rollouts', round: 5, count: 1, size: 1 }, ...hashes }),
    ])
    expect(await bodies.fetch(wanted, ended.signal)).toEqual({ ok: true, value: body })
    expect(await alone.fetch(wanted, ended.signal)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('no bootnode'),
    })
  } finally {
    ended.abort()
    for (const one of [bodies, alone]) await one.close()
    for (const peer of [author, bootnode]) await peer.stop()
  }
})
