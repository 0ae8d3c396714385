import type { PeerKey } from '#core/hashes.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import { fetchLimits } from './fetchLimits.ts'
import type { WantedPayload } from './holders.ts'
import { createPayloadFetcher, type FetchModules, type FetchRules, type PayloadFetcher } from './payloadFetcher.ts'
import { type PeerFault, type PeerResult, peerFault, peerWork } from './peerResult.ts'
import { createRefetchQueue } from './refetchQueue.ts'

export type Visited<Wanted, T> = { wanted: Wanted; result: PeerResult<T> }

/** How a role gets other peers' payloads. No peer can make a method throw, or make it wait for another peer. */
export type FetchPlan = {
  /** The bytes behind a content id, from the disk or else from a peer. @param signal - cancels. */
  fetch(wanted: WantedPayload, signal: AbortSignal): Promise<PeerResult<Uint8Array>>
  /**
   * Fetches payloads in parallel, and runs `work` on them in sequence as they arrive.
   *
   * @param signal - cancels open fetches; work on arrived payloads still runs.
   * @returns one result each, in the order of `wanted`.
   */
  visit<Wanted extends WantedPayload, T>(
    wanted: readonly Wanted[],
    signal: AbortSignal,
    work: (bytes: Uint8Array, wanted: Wanted) => Promise<PeerResult<T>>,
  ): Promise<Visited<Wanted, T>[]>
  /** As `visit`, with each result as soon as it is available. */
  visitEach<Wanted extends WantedPayload, T>(
    wanted: readonly Wanted[],
    signal: AbortSignal,
    work: (bytes: Uint8Array, wanted: Wanted) => Promise<PeerResult<T>>,
  ): Promise<Visited<Wanted, T>>[]
}

/** A plan that counts its results. */
type CountedFetchPlan = FetchPlan & { counts(): FetchCounts }

/** Payloads since the start. */
export type FetchCounts = {
  /** Fetched from a peer, and their bytes. */
  fetched: number
  bytes: number
  /** Payloads that do not count, by the fault. */
  faults: Partial<Record<PeerFault['fault'], number>>
}

/** The bytes of a payload, or null if they are on the disk. */
type Obtained = PeerResult<Uint8Array | null>

/** The one way to other peers' payloads; the rules are in docs/network.md. */
export function createFetchPlan(modules: FetchModules, rules: FetchRules): CountedFetchPlan {
  const { clock, logger, signal: stopping } = modules
  const { limits = fetchLimits } = rules
  const late = new Set<PeerKey>()
  const counts: FetchCounts = { fetched: 0, bytes: 0, faults: {} }
  const fetchFromHolders = createPayloadFetcher(modules, { ...rules, limits }, late)
  const { obtain, read } = createPayloadSource(modules, fetchFromHolders, counts)
  const whileHeld = createHeldBytes(limits.heldBytes)

  function note({ kind, round, peerKey }: WantedPayload, result: PeerResult<unknown>): void {
    if (result.ok) return
    const { fault, reason } = result
    counts.faults[fault] = (counts.faults[fault] ?? 0) + 1
    logger.info('a payload of a peer does not count', { kind, round, peerKey, fault, reason })
  }

  const visitEach: FetchPlan['visitEach'] = (wanted, signal, work) => {
    const oneByOne = createKeyedLimit(1)
    // These are in memory in addition to the held ones.
    const refetch = createRefetchQueue({
      slots: limits.policies,
      clock,
      everyMs: limits.pace.windowMs,
      roundMs: rules.roundMs,
    })
    const visit = async (at: (typeof wanted)[number]) => {
      const { kind, round, peerKey } = at
      const modules = { about: { kind, round, peerKey }, logger, signal: stopping }
      // Opened and used one by one: a payload takes far more memory opened than on the disk.
      const use = (reading: () => Promise<PeerResult<Uint8Array>>) =>
        oneByOne.run('', async () => {
          const bytes = await reading()
          return bytes.ok ? peerWork(modules, () => work(bytes.value, at)) : bytes
        })
      /** Its own scope, so that bytes which are not held leave the memory. @returns null for these. */
      const useFirst = async () => {
        const obtained = await obtain(at, signal)
        return whileHeld(obtained, () => use(() => read(at, obtained)))
      }
      // A second fetch is complete before it waits for its use: its author may never finish it.
      const useSecond = () =>
        refetch(
          until => fetchFromHolders(at, until),
          fetched => use(async () => fetched),
          signal,
        )
      const result = (await useFirst()) ?? (await useSecond())
      note(at, result)
      return { wanted: at, result }
    }
    // A peer that was late last time does not take a slot that others wait for.
    const inOrder = [...wanted].sort((a, b) => Number(late.has(a.peerKey)) - Number(late.has(b.peerKey)))
    const visiting = new Map(inOrder.map(at => [at, visit(at)]))
    return wanted.flatMap(at => visiting.get(at) ?? [])
  }

  return {
    counts: () => counts,
    visitEach,
    visit: (wanted, signal, work) => Promise.all(visitEach(wanted, signal, work)),
    async fetch(wanted, signal) {
      const result = await read(wanted, await obtain(wanted, signal))
      note(wanted, result)
      return result
    },
  }
}

/** Payloads from the disk, or else from a peer: these are counted, and kept on the disk. */
function createPayloadSource(
  { bundles, logger }: Pick<FetchModules, 'bundles' | 'logger'>,
  fetchFromHolders: PayloadFetcher,
  counts: FetchCounts,
) {
  return {
    async obtain(wanted: WantedPayload, signal: AbortSignal): Promise<Obtained> {
      const { kind, round, contentId, peerKey } = wanted
      if (bundles.has(contentId)) {
        // A policy may sample in several rounds: it is needed as long as the last of them.
        await bundles.renew(contentId, round, { peerKey, kind })
        return { ok: true, value: null }
      }
      const fetched = await fetchFromHolders(wanted, signal)
      if (!fetched.ok) return fetched
      counts.fetched += 1
      counts.bytes += fetched.value.byteLength
      const refused = await bundles.keep(fetched.value, round, { peerKey, kind })
      if (refused === null) return { ok: true, value: null }
      logger.info('a payload was not kept', { kind, round, contentId, reason: refused })
      return fetched
    },
    async read({ contentId }: WantedPayload, obtained: Obtained): Promise<PeerResult<Uint8Array>> {
      if (!obtained.ok) return obtained
      const value = obtained.value ?? (await bundles.get(contentId))
      return value === null ? peerFault('unavailable', 'its file was damaged or removed') : { ok: true, value }
    },
  }
}

/** Limits the bytes of payloads that wait for their work in memory, because the disk did not take them. */
function createHeldBytes(maxBytes: number) {
  let heldBytes = 0

  /** Holds what was obtained until `use` has read it. @returns null if too much is held. */
  return async <T>(obtained: Obtained, use: () => Promise<T>): Promise<T | null> => {
    const bytes = obtained.ok ? (obtained.value?.byteLength ?? 0) : 0
    if (bytes > 0 && heldBytes + bytes > maxBytes) return null
    heldBytes += bytes
    return use().finally(() => {
      heldBytes -= bytes
    })
  }
}
