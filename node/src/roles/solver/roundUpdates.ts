import type { Logger } from '#core/logger.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { FAILED } from '../models/learningRules.ts'
import type { ScoredGroup } from './chooseLessons.ts'
import type { Learner, LearnOptions } from './learner.ts'

/** The failure of a scoring by a server, which no groups are at fault for. */
export const UNSCORED = "the judge's server failed"

type Repeated = Omit<LearnOptions, 'round' | 'updates'> & {
  /** Number of consecutive updates on the same groups; 1. */
  times?: number
}

/**
 * Scores and updates of a round. A failure is logged, whether the groups or the machine are at fault, and the next update is tried.
 *
 * @param until - from then on there is at most one update on the same groups.
 * @param learned - counted here.
 */
export function createUpdates(
  { learner, logger, signal }: { learner: Learner; logger: Logger; signal: AbortSignal },
  { round, until }: { round: number; until: AbortSignal },
  learned: { updates: number; taken: number },
) {
  let setbacks = learner.setbacks()
  let areLost = false

  /** Notes whether the policy fell back since: what was counted is not in it any more. */
  function notice(): void {
    if (learner.setbacks() === setbacks) return
    setbacks = learner.setbacks()
    areLost = true
    if (learned.updates > 0)
      logger.warn('updates of this round were lost with the worker', { round, updates: learned.updates })
    learned.updates = 0
    learned.taken = 0
  }

  async function attempt<T>(groups: number, run: () => Promise<T>): Promise<T | null> {
    try {
      return await run()
    } catch (error) {
      signal.throwIfAborted()
      logger.error('an update failed', { round, groups, error })
      return null
    } finally {
      notice()
    }
  }

  return {
    /** @returns the reason if it failed. */
    async score(groups: readonly CheckedGroup[]): Promise<ScoredGroup[] | typeof FAILED | typeof UNSCORED> {
      let failure: typeof FAILED | typeof UNSCORED = FAILED
      const scored = await attempt(groups.length, () =>
        learner.score(groups).catch(error => {
          if (error instanceof ChatServerError) failure = UNSCORED
          throw error
        }),
      )
      return scored ?? failure
    },

    /** @returns the reason why nothing was learned; null if it was, or if no group has a gradient. */
    async update(groups: readonly ScoredGroup[], ownCount: number, options: Repeated = {}): Promise<string | null> {
      const { times = 1, again = false, ...others } = options
      for (let i = 0; i < times && (i === 0 || !until.aborted); i++) {
        const lesson = await attempt(groups.length, () =>
          learner.learn(groups, ownCount, { round, updates: learned.updates, again: again || i > 0, ...others }),
        )
        const failure = lesson === null ? FAILED : lesson.failure
        // After an update that changed the policy, a failure on the same groups is nobody's fault.
        if (failure !== null) return i === 0 ? failure : null
        if (!lesson?.updates) return null
        learned.updates += 1
        if (i === 0) learned.taken += lesson.taken
      }
      return null
    },

    /** Whether updates of the round were lost with the policy's worker since the last call. They do not count. */
    wereLost(): boolean {
      notice()
      const were = areLost
      areLost = false
      return were
    },
  }
}
