import type { Hex } from '#core/hex.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Environment, WrittenText } from '#environments/environment.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import { proposalsOf } from './proposalsOf.ts'
import type { TaskList } from './taskList.ts'

/** Times that missing proposals are sampled again before a round goes with fewer. */
const MAX_ATTEMPTS = 8

/** Writes texts that may be proposals of a level. */
export type WriteProposals = (
  level: number,
  count: number,
  seed: Hex,
  until: AbortSignal,
) => Promise<readonly WrittenText[]>

/**
 * Samples proposals at a level until a list has enough of them. A server that does not answer is counted among what was refused: a dataset may
 * stand in for it.
 *
 * @param seedOf - seed of an attempt; each attempt draws new numbers.
 * @param until - no attempt begins later.
 */
export async function propose(
  write: WriteProposals,
  environment: Environment,
  level: number,
  list: TaskList,
  seedOf: (attempt: number) => Hex,
  until: AbortSignal,
): Promise<void> {
  const { faultOf } = proposalsOf(environment)
  const count = list.wanted()
  for (let attempt = 0; attempt < MAX_ATTEMPTS && list.wanted() > 0; attempt++) {
    if (until.aborted) return list.refuse('no time was left')
    const before = list.texts.length
    try {
      for (const { text, ended } of await write(level, count, seedOf(attempt), until)) {
        if (list.wanted() === 0) break
        await yieldToEventLoop()
        await list.add(text, ended ? await faultOf(text, level) : 'too long')
      }
    } catch (error) {
      if (!(error instanceof ChatServerError)) throw error
      return list.refuse(error.message)
    }
    // A level has an end: where nothing new came, what was proposed longest ago is asked for again.
    if (attempt > 0 && list.texts.length === before && list.setAside() >= list.wanted()) return
  }
}
