import { randomBytes } from 'node:crypto'
import { systemClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { formatSizes } from '#core/payloads/payloadSizes.ts'
import type { Announcement } from '#p2p/gossip/announcement.ts'
import { testSwarm } from '#p2p/gossip/testAnnouncement.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import { type Network, type NetworkOptions, startNetwork } from '#p2p/network.ts'
import { LOOPBACK, newPrivateKey, servedFrom } from '#p2p/testHosts.ts'

export type TestPeer = Network & { put(payload: Uint8Array): Hex }

/** A peer of the test swarm on loopback, in round 5, with a store in memory. */
export async function startTestPeer(options: Partial<NetworkOptions> = {}): Promise<TestPeer> {
  const store = new Map<Hex, Uint8Array>()
  const network = await startNetwork({
    privateKey: options.privateKey ?? (await newPrivateKey()),
    listen: [LOOPBACK],
    swarm: testSwarm,
    bootnodes: [],
    follows: true,
    currentRound: () => 5,
    maxBytes: kind => formatSizes[kind],
    bundles: { open: async id => servedFrom(store.get(id)) },
    heartbeatMs: 100,
    clock: systemClock,
    logger: silentLogger,
    ...options,
  })
  return {
    ...network,
    put(payload) {
      store.set(contentId(payload), payload)
      return contentId(payload)
    },
  }
}

/** Resolves with the next announcement that `wanted` holds for; of those already there, the first. */
export function announced(
  peer: Network,
  kind: AnnouncementKind,
  wanted: (announcement: Announcement) => boolean,
): Promise<Announcement> {
  return new Promise(resolve => {
    const stop = peer.onAnnouncement(kind, announcement => {
      if (!wanted(announcement)) return
      stop()
      resolve(announcement)
    })
    const there = peer.announcements(5, kind).find(wanted)
    if (there !== undefined) {
      stop()
      resolve(there)
    }
  })
}

export const newPayload = (bytes = 50_000): Uint8Array => Uint8Array.from(randomBytes(bytes))
