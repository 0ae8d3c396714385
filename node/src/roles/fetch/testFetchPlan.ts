import { setImmediate as turn } from 'node:timers/promises'
import { createManualClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Announcement } from '#p2p/gossip/announcement.ts'
import type { FetchPayload, PayloadRequest } from '#p2p/transfer/payloadTransfer.ts'
import { createFetchPlan } from './fetchPlan.ts'
import type { FetchRules } from './payloadFetcher.ts'

export const payloadOf = (peerId: string, bytes = 1000) => new Uint8Array(bytes).fill(peerId.charCodeAt(0))
export const wantedOf = (peerId: string, bytes?: number) => ({
  kind: 'rollouts' as const,
  round: 5,
  peerKey: peerKeyOf(peerId),
  contentId: contentId(payloadOf(peerId, bytes)),
})
export const told = (peerId: string, of = peerId, size = 1000) =>
  ({ peerId, contentId: wantedOf(of).contentId, size }) as Announcement

type Served = Awaited<ReturnType<FetchPayload>>
export type Server = (request: PayloadRequest) => Promise<Served>

/** A plan over servers by peer id, a store in memory and a clock that is moved until a promise settles. */
export function fetchScene(
  servers: Record<string, Server>,
  rules: Partial<FetchRules> = {},
  announced?: Announcement[],
  connected = Object.keys(servers),
  refused: 'no disk space' | null = null,
) {
  const clock = createManualClock()
  const stop = new AbortController()
  const kept = new Map<Hex, Uint8Array>()
  const asked: string[] = []
  const network = {
    peerId: 'self',
    announcements: () => announced ?? Object.keys(servers).map(peerId => told(peerId)),
    connectedPeers: () => connected,
    fetchPayload: async (request: PayloadRequest) => {
      asked.push(request.peer)
      const got = await (servers[request.peer] as Server)(request)
      return typeof got === 'string' || contentId(got) === request.contentId ? got : 'mismatch'
    },
  }
  const bundles = {
    has: (id: Hex) => kept.has(id),
    renew: async () => {},
    get: async (id: Hex) => kept.get(id) ?? null,
    keep: async (bytes: Uint8Array) => {
      if (refused === null) kept.set(contentId(bytes), bytes)
      return refused
    },
  }
  const readPeerId = async (key: Hex) => Object.keys(servers).find(peerId => peerKeyOf(peerId) === key) ?? null
  const modules = { network, bundles, readPeerId, clock, logger: silentLogger, signal: stop.signal, random: () => 0.5 }
  const plan = createFetchPlan(modules, {
    maxBytes: () => 1 << 20,
    opensAtMs: () => 0,
    roundMs: () => 600_000,
    ...rules,
  })
  const finish = async <T>(work: Promise<T>): Promise<T> => {
    let done = false
    void work.finally(() => {
      done = true
    })
    for (let ms = 0; !done; ms += 100) {
      if (ms > 300_000) throw new Error('not within five minutes')
      await turn()
      if (!done) clock.advance(100)
    }
    return work
  }
  return { plan, modules, clock, stop, kept, asked, finish, never: new AbortController().signal }
}

export const honest =
  (of: string): Server =>
  async ({ onBytes }) => {
    onBytes?.(1000)
    return payloadOf(of)
  }
export const answering =
  (failure: Served): Server =>
  async () =>
    failure

/** Sends so many bytes a second, until the caller gives up. */
export const dripping =
  (bytesPerSecond: number, clock: () => ReturnType<typeof createManualClock>): Server =>
  async ({ onBytes, signal }) => {
    for (;;) {
      await clock()
        .sleep(1000, signal)
        .catch(() => undefined)
      if (signal.aborted) return 'timeout'
      onBytes?.(bytesPerSecond)
    }
  }
