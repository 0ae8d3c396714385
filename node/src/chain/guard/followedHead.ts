import type { Logger } from '#core/logger.ts'
import type { Endpoint } from './endpoint.ts'
import { judgeHead, type TakenHead } from './judgeHead.ts'

type FollowedHead = {
  /** The head that was taken last; null before the first. */
  taken(): TakenHead | null
  take(head: TakenHead): void
  /**
   * What is wrong with a head of an endpoint; null if it can be taken. A head that jumped can be taken once further heads have followed it for
   * `holdMs`.
   *
   * @param isOnly - whether no other endpoint works: a jump is accepted only then.
   */
  faultOf(endpoint: Endpoint, head: TakenHead, isOnly: () => boolean): string | null
}

/** Heads that must follow a jump within `holdMs`, the first included. */
const HOLD_HEADS = 4

type Candidate = { first: TakenHead; last: TakenHead; heads: number }

/** The chain's newest block as this node accepts it. */
export function createFollowedHead({ logger, holdMs }: { logger: Logger; holdMs: number }): FollowedHead {
  /** Heads after a jump, by endpoint. */
  const candidates = new Map<Endpoint, Candidate>()
  let taken: TakenHead | null = null

  function candidateWith(endpoint: Endpoint, head: TakenHead): Candidate {
    const before = candidates.get(endpoint)
    const continues = before !== undefined && judgeHead(before.last, head, head.atMs) === null
    if (!continues) return { first: head, last: head, heads: 1 }
    return { ...before, last: head, heads: before.heads + (head.number > before.last.number ? 1 : 0) }
  }

  return {
    taken: () => taken,
    take(head) {
      taken = head
    },
    faultOf(endpoint, head, isOnly) {
      const fault = judgeHead(taken, head, head.atMs)
      if (fault === null) {
        candidates.delete(endpoint)
        return null
      }
      const candidate = candidateWith(endpoint, head)
      candidates.set(endpoint, candidate)
      const isHeld = candidate.heads < HOLD_HEADS || head.atMs - candidate.first.atMs < holdMs
      if (isHeld || !isOnly()) return fault
      logger.warn('the chain stayed where it jumped to; following it', { endpoint: endpoint.origin, fault })
      candidates.delete(endpoint)
      taken = null
      return null
    },
  }
}
