import { randomBytes } from 'node:crypto'
import { systemClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Announcement } from '#p2p/gossip/announcement.ts'
import type { Host } from '#p2p/host.ts'
import { writeBytes, writeMessage } from '#p2p/streams/streamWriter.ts'
import { connect, servedFrom, startTestHost } from '#p2p/testHosts.ts'
import { encodeHeader, FETCH_PROTOCOL } from '#p2p/transfer/fetchProtocol.ts'
import { createFetchPayload, serveBundles } from '#p2p/transfer/payloadTransfer.ts'
import { createFetchPlan, type FetchPlan } from '#roles/fetch/fetchPlan.ts'
import type { WantedPayload } from '#roles/fetch/holders.ts'
import type { FetchRules } from '#roles/fetch/payloadFetcher.ts'

const common = { clock: systemClock, logger: silentLogger }

/** A fetch plan of one host, and others on loopback that each announce a payload: these serve it, the slow ones byte by byte. */
export async function fetchScene(
  { honest, slow, bytes }: { honest: number; slow: number; bytes: number },
  rules: Partial<FetchRules> = {},
) {
  const client = await startTestHost()
  const hosts: Host[] = [client]
  const stopped = new AbortController()
  const announcements: Announcement[] = []
  const wanted: (WantedPayload & { isSlow: boolean })[] = []
  for (let at = 0; at < honest + slow; at += 1) {
    const isSlow = at < slow
    const payload = Uint8Array.from(randomBytes(bytes))
    const host = await startTestHost()
    hosts.push(host)
    if (isSlow) await drip(host, payload, stopped.signal)
    else
      await serveBundles(host, {
        source: { open: async id => servedFrom(id === contentId(payload) ? payload : null) },
        ...common,
      })
    await connect(client, host)
    const place = { kind: 'rollouts', round: 5, contentId: contentId(payload) } as const
    announcements.push({ ...place, peerId: host.peerId, size: bytes } as Announcement)
    wanted.push({ ...place, peerKey: peerKeyOf(host.peerId), isSlow })
  }
  const plan = planOf(
    client,
    announcements,
    { maxBytes: () => bytes, opensAtMs: () => 0, roundMs: () => 600_000, ...rules },
    stopped.signal,
  )
  const stop = async () => {
    stopped.abort()
    await Promise.all(hosts.map(host => host.stop()))
  }
  return { plan, wanted, stop }
}

/** A fetch plan over a host that knows these announcements, with a store in memory. */
export function planOf(
  host: Host,
  announcements: readonly Announcement[],
  rules: FetchRules,
  signal: AbortSignal,
): FetchPlan {
  const kept = new Map<Hex, Uint8Array>()
  const network = {
    peerId: host.peerId,
    announcements: () => [...announcements],
    connectedPeers: host.connectedPeers,
    fetchPayload: createFetchPayload(host, common),
  }
  const bundles = {
    renew: async () => {},
    has: (id: Hex) => kept.has(id),
    get: async (id: Hex) => kept.get(id) ?? null,
    keep: async (payload: Uint8Array) => {
      kept.set(contentId(payload), payload)
      return null
    },
  }
  return createFetchPlan({ network, bundles, readPeerId: async () => null, ...common, signal }, rules)
}

/** Serves a payload at one byte a second. */
function drip(host: Host, payload: Uint8Array, signal: AbortSignal): Promise<void> {
  return host.node.handle(FETCH_PROTOCOL, async stream => {
    try {
      await writeMessage(stream, encodeHeader({ v: 1, status: 'ok', size: payload.byteLength }), 1000)
      for (let at = 0; at < payload.byteLength; at += 1) {
        await writeBytes(stream, payload.subarray(at, at + 1), 1000)
        await systemClock.sleep(1000, signal)
      }
    } catch (cause) {
      stream.abort(cause as Error)
    }
  })
}
