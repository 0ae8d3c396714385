import type { Logger } from '#core/logger.ts'
import type { Head } from './answers.ts'
import type { Endpoint } from './endpoint.ts'

type FollowedHead = {
  /** The last accepted head; null before the first. */
  taken(): TakenHead | null
  take(head: TakenHead): void
  /**
   * The fault of an endpoint's head; null if it can be accepted. A head that jumped can be accepted once further heads have followed it for
   * `holdMs`.
   *
   * @param isOnly - whether no other endpoint works: a jump is accepted only then.
   */
  faultOf(endpoint: Endpoint, head: TakenHead, isOnly: () => boolean): string | null
}

/** No clock in use is a day off: a followed chain that leads this machine's by more was false once a head agrees with the clock. */
export const FALSE_LEAD_SEC = 86_400
/** Heads that must follow a jump within `holdMs`, the first included. */
const HOLD_HEADS = 4

type Candidate = { first: TakenHead; followed: Followed; heads: number }

/** The chain's newest block as this node accepts it. */
export function createFollowedHead({ logger, holdMs }: { logger: Logger; holdMs: number }): FollowedHead {
  /** Heads after a jump, by endpoint. */
  const candidates = new Map<Endpoint, Candidate>()
  let followed: Followed | null = null

  function candidateWith(endpoint: Endpoint, head: TakenHead): Candidate {
    const before = candidates.get(endpoint)
    const continues = before !== undefined && judgeHead(before.followed, head) === null
    if (!continues) return { first: head, followed: follow(null, head), heads: 1 }
    const { first, followed, heads } = before
    return { first, followed: follow(followed, head), heads: heads + (head.number > followed.last.number ? 1 : 0) }
  }

  return {
    taken: () => followed?.last ?? null,
    take(head) {
      followed = follow(followed, head)
    },
    faultOf(endpoint, head, isOnly) {
      const fault = judgeHead(followed, head)
      if (fault === null) {
        candidates.delete(endpoint)
        return null
      }
      if (followed !== null && isRefuted(followed, head)) {
        logger.warn('the chain that was followed is far ahead of the clock; following one that is not', { fault })
        candidates.clear()
        followed = null
        return null
      }
      const candidate = candidateWith(endpoint, head)
      candidates.set(endpoint, candidate)
      const isHeld = candidate.heads < HOLD_HEADS || head.atMs - candidate.first.atMs < holdMs
      if (isHeld || !isOnly()) return fault
      logger.warn('the chain stayed where it jumped to; following it', { endpoint: endpoint.origin, fault })
      candidates.delete(endpoint)
      followed = null
      return null
    },
  }
}

/** An accepted head, and when it was accepted. */
export type TakenHead = Head & { atMs: number }

/** Bounds for later heads, derived from accepted ones. */
type Followed = {
  readonly last: TakenHead
  /** Falls are measured from the highest head: measured from the last head, each could fall as far again. */
  readonly highest: TakenHead
  readonly latest: TakenHead
  /**
   * Seconds by which the chain's first head was ahead of this machine's clock, >= 0: leads are measured from it. Half of all clocks are behind.
   */
  readonly leadSec: number
}

/** Most seconds that headers may be ahead of the time passed here: clocks differ, and chains catch up. */
export const SLACK_SEC = 120
/** Blocks a second that a chain makes at most: the fastest in use make 10. */
export const MAX_BLOCKS_PER_SEC = 20
/** Blocks that a reorganisation, or a server that lags, takes back. */
const MAX_FALL_BLOCKS = 64

/** @param before - null for the first head, from which the others are judged. */
function follow(before: Followed | null, head: TakenHead): Followed {
  const leadSec = before === null ? Math.max(0, head.timeSec - head.atMs / 1000) : leadAt(before, head.atMs)
  const { highest = head, latest = head } = before ?? {}
  return {
    ...{ last: head, leadSec },
    highest: head.number >= highest.number ? head : highest,
    latest: head.timeSec >= latest.timeSec ? head : latest,
  }
}

/** After a clock is set back, the chain's lead grows by the same amount. */
const leadAt = ({ last, leadSec }: Followed, nowMs: number) => leadSec + Math.max(0, last.atMs - nowMs) / 1000

/** Whether this machine's clock shows that a head is true and the followed chain was false, such as a first header of next year. */
function isRefuted({ leadSec }: Followed, { timeSec, atMs }: TakenHead): boolean {
  return leadSec > FALSE_LEAD_SEC && Math.abs(timeSec - atMs / 1000) <= SLACK_SEC
}

/**
 * Whether a chain can have advanced from one head to another in the time that has passed here.
 *
 * The limit for the chain's time is this machine's clock or the seconds that passed on it, whichever is later: one of them is right even after a
 * suspension or a change of the clock. Any number of heads together may lead and fall no further than a single one.
 *
 * @param before - null at the start, when any head is accepted.
 * @returns the fault; null if there is none.
 */
function judgeHead(before: Followed | null, head: TakenHead): string | null {
  if (before === null) return null
  const { last, highest, latest } = before
  const passedSec = Math.max(0, head.atMs - last.atMs) / 1000
  const nowSec = head.atMs / 1000
  const latestSec = Math.min(Math.max(last.timeSec + passedSec, nowSec), nowSec + leadAt(before, head.atMs)) + SLACK_SEC
  if (head.timeSec > latestSec) return `its time jumped by ${head.timeSec - last.timeSec} s`
  if (head.number > last.number + (passedSec + SLACK_SEC) * MAX_BLOCKS_PER_SEC)
    return `its height jumped by ${head.number - last.number} blocks`
  if (head.number < highest.number - MAX_FALL_BLOCKS) return `its height fell by ${highest.number - head.number} blocks`
  if (head.timeSec < latest.timeSec - SLACK_SEC) return `its time fell by ${latest.timeSec - head.timeSec} s`
  return null
}
