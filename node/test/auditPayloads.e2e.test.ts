import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { formatSizes } from '#core/payloads/payloadSizes.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { testSwarm } from '#p2p/gossip/testAnnouncement.ts'
import { createPeerPayloads } from '#roles/audit/peerPayloads.ts'
import { fetchLimits } from '#roles/fetch/fetchLimits.ts'
import { announced, newPayload, startTestPeer } from './p2pNetworks.ts'

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
    limits: fetchLimits,
  }
  const payloads = createPeerPayloads({ ...options, bootnodes: bootnode.addresses() })
  const alone = createPeerPayloads({ ...options, bootnodes: [] })
  try {
    // A payload of an old round, which nobody announces any more.
    const payload = newPayload()
    const wanted = {
      kind: 'rollouts',
      round: 2,
      peerKey: peerKeyOf(author.peerId),
      contentId: author.put(payload),
    } as const
    const hashes = { contentId: ZERO_HASH, root: ZERO_HASH, policyHash: ZERO_HASH }
    // By then the bootnode knows where the author is.
    await Promise.all([
      announced(bootnode, 'rollouts', ({ peerId }) => peerId === author.peerId),
      author.publish({ ...{ kind: 'rollouts', round: 5, count: 1, size: 1 }, ...hashes }),
    ])
    expect(await payloads.fetch(wanted, ended.signal)).toEqual({ ok: true, value: payload })
    expect(await alone.fetch(wanted, ended.signal)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('no bootnode'),
    })
  } finally {
    ended.abort()
    for (const one of [payloads, alone]) await one.close()
    for (const peer of [author, bootnode]) await peer.stop()
  }
})
