import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { Clock } from '#core/clock.ts'
import { topicRules } from '#p2p/gossip/topicRules.ts'
import type { collectPayloads } from './collectPayloads.ts'

/** Announcements usually arrive in this share of a round, or in this many seconds: waiting for them saves authors requests. */
const HEARD_SHARE = 1 / 8
const HEARD_SEC = 30

/** Rounds until rollouts are public, and until votes are revealed. */
const [ROLLOUTS_AFTER, SCORES_AFTER] = [1, 2]
/** Rounds in which an absent author is asked again. */
const AGAIN_ROUNDS = 1

/**
 * Fetches payloads that were committed in the last rounds and not announced here: in a large swarm an author meets a follower only every ten minutes,
 * and payloads that were announced before a restart are not announced again.
 *
 * @param isFirst - the first call since the start, which asks for all kept rounds.
 */
export async function takeUnheard(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  { takeCommitted }: Pick<ReturnType<typeof collectPayloads>, 'takeCommitted'>,
  { round, startsAtSec, endsAtSec }: Pick<RoundTime, 'round' | 'startsAtSec' | 'endsAtSec'>,
  isFirst: boolean,
): Promise<void> {
  await clock.sleep(Math.min(HEARD_SEC, HEARD_SHARE * (endsAtSec - startsAtSec)) * 1000, signal)
  for (const [kind, after] of [
    ['rollouts', ROLLOUTS_AFTER],
    ['scores', SCORES_AFTER],
  ] as const) {
    const last = round - after
    const first = isFirst ? round + topicRules[kind].earliest : last - AGAIN_ROUNDS
    for (let at = Math.max(0, first); at <= last; at++) await takeCommitted(at, kind)
  }
}
