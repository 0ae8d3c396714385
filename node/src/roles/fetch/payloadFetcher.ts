import type { Clock } from '#core/clock.ts'
import { beforeAbort } from '#core/deadline.ts'
import type { PeerKey } from '#core/hashes.ts'
import { createKeyedLimit, type KeyedLimit } from '#core/keyedLimit.ts'
import type { Logger } from '#core/logger.ts'
import type { Network } from '#p2p/network.ts'
import type { FetchFailure } from '#p2p/transfer/payloadTransfer.ts'
import type { Bundles } from '#store/bundles.ts'
import type { FetchLimits } from './fetchLimits.ts'
import {
  type FetchKind,
  findAuthor,
  findKeepers,
  type Holder,
  holdersOf,
  type ReadPeerId,
  type WantedPayload,
} from './holders.ts'
import { createHolderTime, type HolderTime } from './holderTime.ts'
import { belowPace, longestMs } from './pace.ts'
import { type PeerFault, type PeerResult, peerFault } from './peerResult.ts'
import { raceSources, type Source } from './raceSources.ts'
import { slotExpired } from './slotExpired.ts'

export type FetchModules = {
  network: Pick<Network, 'peerId' | 'announcements' | 'connectedPeers' | 'fetchPayload'>
  bundles: Pick<Bundles, 'has' | 'get' | 'keep' | 'renew'>
  readPeerId: ReadPeerId
  clock: Clock
  logger: Logger
  /** The node's. */
  signal: AbortSignal
  random?: () => number
}

export type FetchRules = {
  /** Maximum of bytes of a payload, by the environment. */
  maxBytes(kind: FetchKind): number
  /** When a round's payloads may first be fetched, on the node's clock; earlier requests wait. */
  opensAtMs(kind: FetchKind, round: number): number
  /** Length of a round: within half of one, every waiting payload has had a turn. */
  roundMs(): number
  limits?: FetchLimits
}

/** `slot-expired`: others waited, and it kept its slot for longer than its share of the time. */
type Failure = FetchFailure | 'too-slow' | 'slot-expired'
type Attempt = Holder & { failure: Failure }
type Got = Uint8Array | Failure
type PayloadRules = FetchRules & { limits: FetchLimits }
export type PayloadFetcher = (wanted: WantedPayload, signal: AbortSignal) => Promise<PeerResult<Uint8Array>>

/** Late peers remembered, at most. */
const MAX_LATE = 10_000
/** Retries of an author that is away or has not published, where it is worth waiting for, and the share of a round before each. */
const [MAX_RETURNS, RETURN_SHARE] = [2, 1 / 8]
/** Retries of an author that reports nothing: a lying author delays callers that wait for all payloads. */
const MAX_NOT_FOUND = 2
/**
 * Share of a round after which the next keeper is asked too: the author and a whole committee within a third. Each must have had as much time
 * to answer before a payload counts as unavailable.
 */
const PATIENCE_SHARE = 1 / 16

/**
 * Fetches a payload from its holders; each must keep the pace. The author, each keeper and all others together have a budget of time each, and
 * are asked in parallel: others once the author has failed. Where the author may return, each is asked again by itself. While others wait, no
 * holder keeps a slot for longer than its share; one that lost its slot queues again.
 *
 * @param late - peers that were below the pace when last asked; kept up to date here.
 */
export function createPayloadFetcher(modules: FetchModules, rules: PayloadRules, late: Set<PeerKey>): PayloadFetcher {
  const { network, clock, random = Math.random } = modules
  const askEach = createInquiry(modules, rules, late)
  const patienceMs = () => rules.roundMs() * PATIENCE_SHARE
  const untilReturn = (until: AbortSignal) => clock.sleep(rules.roundMs() * RETURN_SHARE, until)

  /** Keepers in random order, slow ones last, so that none of them delays the others. The chain is read before any is asked, and not again. */
  async function askAll(
    wanted: WantedPayload,
    signal: AbortSignal,
    holderTime: HolderTime,
    readPeerId: ReadPeerId,
  ): Promise<Uint8Array | Attempt[]> {
    const author = await findAuthor({ network, readPeerId }, wanted, signal)
    const found = await findKeepers({ network, readPeerId }, wanted, signal)
    holderTime.expect(author === undefined ? found : [author, ...found])
    const keepers = found
      .map(keeper => ({ keeper, place: Number(late.has(keeper.peerKey)) + random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ keeper }) => keeper)
    const { promise: authorFailed, resolve: onFailure } = Promise.withResolvers<void>()
    const { promise: authorIsGone, resolve: onTried } = Promise.withResolvers<boolean>()

    async function askAuthor(until: AbortSignal): Promise<Uint8Array | Attempt[]> {
      // It may have announced the payload since, or connected.
      const now = holdersOf(network, wanted).find(({ isAuthor }) => isAuthor) ?? author
      const authors = now === undefined ? [] : [now]
      holderTime.expect(authors)
      const got = await askEach(authors, wanted, until, holderTime, onFailure)
      onFailure()
      onTried(!(got instanceof Uint8Array) && isGone(got))
      return got
    }
    async function askRest(until: AbortSignal): Promise<Uint8Array | Attempt[]> {
      // An author that is slow takes no second slot; of keepers, each may be asked meanwhile.
      if (found.length === 0) await beforeAbort(authorFailed, until)
      const holders = holdersOf(network, wanted)
      const rest = holders.filter(one => !one.isAuthor && !found.some(({ peerId }) => peerId === one.peerId))
      return askEach(rest, wanted, until, holderTime)
    }
    const askKeepers = keepers.map(keeper => (until: AbortSignal) => askEach([keeper], wanted, until, holderTime))
    const once = [askAuthor, ...askKeepers, askRest]
    const sources = wanted.mayReturn ? once.map(ask => returning(ask, authorIsGone, untilReturn)) : once
    return raceSources(sources, { everyMs: patienceMs(), clock }, signal)
  }

  return async (wanted, signal) => {
    const holderTime = createHolderTime(clock)
    const { readPeerId, failure } = createLookUps(modules)
    const outOfTime = () => {
      if (failure() !== null) return peerFault('no time', `the chain did not name all that have it: ${failure()}`)
      return holderTime.isEnough(patienceMs())
        ? peerFault('unavailable', 'no time was left')
        : peerFault('no time', 'no time was left to ask who has it')
    }
    try {
      const waitMs = rules.opensAtMs(wanted.kind, wanted.round) - clock.nowMs()
      if (waitMs > 0) await clock.sleep(waitMs, signal)
      const got = await askAll(wanted, signal, holderTime, readPeerId)
      if (got instanceof Uint8Array) return { ok: true, value: got }
      return signal.aborted || failure() !== null ? outOfTime() : faultOf(got)
    } catch (error) {
      if (!signal.aborted) throw error
      return outOfTime()
    }
  }
}

/** Look-ups of a payload's holders. One that fails hinders no other holder; if none has the payload, it may be this one that does. */
function createLookUps(modules: Pick<FetchModules, 'readPeerId'>) {
  let failed: string | null = null
  const readPeerId: ReadPeerId = peerKey =>
    modules.readPeerId(peerKey).catch((error: unknown) => {
      failed = error instanceof Error ? error.message : String(error)
      return null
    })
  return { readPeerId, failure: () => failed }
}

/** A source that is asked again if the author is gone. @param pause - waits before each time. */
function returning(ask: Source<Attempt>, isAway: Promise<boolean>, pause: (until: AbortSignal) => Promise<void>) {
  return async (until: AbortSignal, onFailed: () => void): Promise<Uint8Array | Attempt[]> => {
    for (let returns = 0; ; returns += 1) {
      const got = await ask(until, onFailed)
      if (got instanceof Uint8Array || returns === MAX_RETURNS) return got
      onFailed()
      if (!(await beforeAbort(isAway, until))) return got
      await pause(until)
    }
  }
}

/** Asks holders one after another within a budget of time, and again those that were busy or may publish the payload soon. */
function createInquiry(modules: FetchModules, rules: PayloadRules, late: Set<PeerKey>) {
  const { clock, random = Math.random } = modules
  const { others, busyRetries, busyWaitMs, pace } = rules.limits
  const attempt = createAttempts(modules, rules, late)

  return async (
    found: readonly Holder[],
    wanted: WantedPayload,
    signal: AbortSignal,
    holderTime: HolderTime,
    onFailure = () => {},
  ): Promise<Uint8Array | Attempt[]> => {
    const tried: Attempt[] = []
    let leftMs = longestMs(pace, rules.maxBytes(wanted.kind))
    let holders = found
    for (let retry = 0; holders.length > 0 && retry <= busyRetries; retry += 1) {
      if (retry > 0) await clock.sleep(busyWaitMs * 2 ** (retry - 1) * (0.5 + random()), signal)
      const busy: Holder[] = []
      for (const holder of holders) {
        if (leftMs <= 0) return tried
        if (!isNamed(holder) && (late.has(holder.peerKey) || tried.filter(one => !isNamed(one)).length >= others))
          continue
        const { got, ms } = await attempt(holder, wanted, signal, holderTime)
        if (typeof got !== 'string') return got
        leftMs -= ms
        tried.push({ ...holder, failure: got })
        onFailure()
        // An author may be about to publish a payload that was sealed until now.
        const mayCome = holder.isAuthor && got === 'not-found' && retry < MAX_NOT_FOUND
        if (got === 'busy' || got === 'slot-expired' || mayCome) busy.push(holder)
      }
      holders = busy
    }
    return tried
  }
}

/** Attempts, limited in total and per holder. An attempt is cancelled if it is too slow, or keeps its slot for longer than its share. */
function createAttempts({ network, clock }: FetchModules, rules: PayloadRules, late: Set<PeerKey>) {
  const { parallel, policies, perHolder, pace } = rules.limits
  const places = createKeyedLimit(parallel)
  const ofPolicies = createKeyedLimit(policies)
  const ofHolder = createKeyedLimit(perHolder)

  const expired = (of: KeyedLimit, count: number, signal: AbortSignal) =>
    slotExpired({ of, count, clock, everyMs: pace.windowMs, roundMs: rules.roundMs }, signal)

  async function inPace(
    { peerId, peerKey, maxBytes }: Holder,
    wanted: WantedPayload,
    signal: AbortSignal,
  ): Promise<Got> {
    const cap = rules.maxBytes(wanted.kind)
    const ended = new AbortController()
    let received = 0
    let cut: 'too-slow' | 'slot-expired' | null = null
    const cutAfter = (watched: Promise<void>, why: 'too-slow' | 'slot-expired') =>
      void watched.then(
        () => {
          cut ??= why
          ended.abort()
        },
        () => undefined,
      )
    cutAfter(
      belowPace(pace, () => received, clock, ended.signal),
      'too-slow',
    )
    cutAfter(expired(places, parallel, ended.signal), 'slot-expired')
    if (wanted.kind === 'policy') cutAfter(expired(ofPolicies, policies, ended.signal), 'slot-expired')
    const got = await network
      .fetchPayload({
        contentId: wanted.contentId,
        maxBytes: Math.min(maxBytes ?? cap, cap),
        peer: peerId,
        onBytes: bytes => {
          received += bytes
        },
        signal: AbortSignal.any([signal, ended.signal]),
      })
      .finally(() => ended.abort())
    if (typeof got !== 'string') late.delete(peerKey)
    else if (cut === 'too-slow' && late.size < MAX_LATE) late.add(peerKey)
    return typeof got === 'string' ? (cut ?? got) : got
  }

  /** Waits for a slot of the holder before a global one, so that a peer with many announcements does not take the slots of others. */
  return (holder: Holder, wanted: WantedPayload, signal: AbortSignal, holderTime: HolderTime) => {
    const measured = async () => {
      const fromMs = clock.nowMs()
      holderTime.begin(holder.peerId)
      const got = await inPace(holder, wanted, signal)
      holderTime.end(holder.peerId, !signal.aborted && got !== 'slot-expired')
      return { got, ms: clock.nowMs() - fromMs }
    }
    const withSlot = () => places.run('', measured, signal)
    const inPlace = () => (wanted.kind === 'policy' ? ofPolicies.run('', withSlot, signal) : withSlot())
    return ofHolder.run(holder.peerId, inPlace, signal)
  }
}

/** Whether the chain says that it had the payload. */
function isNamed({ isAuthor, isKeeper }: Holder): boolean {
  return isAuthor || isKeeper === true
}

/** Whether the author is unknown, unreachable, or has not published it yet: a restarting peer does not lose its round. */
function isGone(tried: readonly Attempt[]): boolean {
  const author = tried.find(({ isAuthor }) => isAuthor)
  return author === undefined || author.failure === 'unreachable' || author.failure === 'not-found'
}

/** The author's failure decides, or else that of the first holder asked. */
function faultOf(tried: readonly Attempt[]): PeerFault {
  const [first] = tried
  if (first === undefined) return peerFault('unavailable', 'no peer is known that could have it')
  const told = tried.map(({ isAuthor, failure }) => `${isAuthor ? 'author' : 'another'}: ${failure}`)
  const reason = [...new Set(told)].join(', ')
  if (first.failure === 'too-large') return peerFault('oversized', reason)
  const isSlow = first.failure === 'too-slow' || first.failure === 'slot-expired'
  return peerFault(isSlow ? 'too slow' : 'unavailable', reason)
}
