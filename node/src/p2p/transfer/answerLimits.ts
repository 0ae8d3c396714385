import type { Clock } from '#core/clock.ts'
import { createPeerBuckets, createTokenBucket } from '../tokenBucket.ts'

/** Answers a second to all peers together: in a large swarm, one takes some 20 ms. A peer asks about once in ten seconds. */
const [ANSWERS_PER_SECOND, ANSWERS_AT_ONCE] = [12, 48]
/** Most of them to strangers: an id costs nothing. */
const STRANGERS_SHARE = 1 / 2

/** Limits of catch-up requests. @returns why a peer's request is refused, or null if it is answered. */
export function createAnswerLimits(isRegistered: (peerId: string) => boolean, clock: Clock) {
  const bucketOf = createPeerBuckets(1, 10, clock)
  const answersOf = (share: number) => createTokenBucket(share * ANSWERS_PER_SECOND, share * ANSWERS_AT_ONCE, clock)
  const [answers, toStrangers] = [answersOf(1), answersOf(STRANGERS_SHARE)]

  return (peerId: string): string | null => {
    if (!bucketOf(peerId).tryTake(1)) return 'asked too often'
    if (!isRegistered(peerId) && !toStrangers.tryTake(1)) return 'asked too often by all strangers together'
    return answers.tryTake(1) ? null : 'asked too often by all together'
  }
}
