import type { Seed } from '#core/hashes.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Environment, WrittenText } from '#environments/environment.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import { type Candidate, candidateOf } from './candidates.ts'
import { proposalsOf } from './proposalsOf.ts'
import { NO_SPACE, type TaskList } from './taskList.ts'

/** Times that missing proposals are sampled again before a round goes with fewer. */
const MAX_ATTEMPTS = 8

/** Samples texts that may be proposals of a level. */
export type WriteProposals = (
  level: number,
  count: number,
  seed: Seed,
  until: AbortSignal,
) => Promise<readonly WrittenText[]>

/**
 * Samples proposals at a level until a list has enough of them, or no space for one. A server that does not answer counts as a refusal: a dataset
 * may replace it.
 *
 * @param seedOf - seed of an attempt; each attempt draws new numbers.
 * @param until - no attempt begins later.
 * @returns candidates that a local model could learn from.
 */
export async function propose(
  write: WriteProposals,
  environment: Environment,
  level: number,
  list: TaskList,
  seedOf: (attempt: number) => Seed,
  until: AbortSignal,
): Promise<Candidate[]> {
  const { faultOf } = proposalsOf(environment)
  const count = list.wanted()
  const candidates: Candidate[] = []
  for (let attempt = 0; attempt < MAX_ATTEMPTS && list.wanted() > 0; attempt++) {
    if (until.aborted) {
      list.refuse('no time was left')
      break
    }
    const before = list.texts.length
    let lacksSpace = false
    try {
      for (const { text, ended, sampled, failure } of await write(level, count, seedOf(attempt), until)) {
        if (list.wanted() === 0) break
        if (failure !== undefined) {
          list.refuse(failure)
          continue
        }
        await yieldToEventLoop()
        const refused = await list.add(text, ended ? await faultOf(text, level) : 'too long')
        lacksSpace ||= refused === NO_SPACE
        candidates.push(...candidateOf(sampled, refused, list.texts.length - 1))
      }
    } catch (error) {
      if (!(error instanceof ChatServerError)) throw error
      list.refuse(error.message)
      break
    }
    // Only the shortest texts may still fit: another attempt is not worth them.
    if (lacksSpace) break
    // A level is finite: if nothing is new, the task proposed longest ago is proposed again.
    if (attempt > 0 && list.texts.length === before && list.setAside() >= list.wanted()) break
  }
  return candidates
}
