import type { Logger } from '#core/logger.ts'
import type { Endpoint } from './endpoint.ts'
import { type Followed, follow, judgeHead, type TakenHead } from './judgeHead.ts'

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
