import type { TaskProposal } from '#chain/work/proposals.ts'
import { decodeProposal } from '#core/payloads/taskProposal.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Proposals } from '#environments/environment.ts'

/** Rounds in which a task is not proposed again. */
const ROUNDS = 16
/** Maximum of remembered tasks: of one round, the first on the chain, and of all rounds. */
const MAX_OF_ROUND = 512
const MAX_TASKS = 4_096

/** Recently proposed tasks by key, with their last round. */
export type ProposedLately = { before(round: number): Promise<ReadonlyMap<string, number>> }

type ReadProposals = (round: number) => Promise<readonly TaskProposal[]>

/**
 * Reads the tasks of all proposers from the chain, each round once: nothing is kept on disk, and a restart reads them again.
 *
 * @param most - tasks of one proposal that count.
 */
export function createProposedLately(
  read: ReadProposals,
  { keyOf }: Pick<Proposals, 'keyOf'>,
  most: number,
): ProposedLately {
  const rounds = new Map<number, readonly string[]>()

  async function keysOf(round: number): Promise<string[]> {
    const keys: string[] = []
    for (const { count, bytes } of await read(round))
      for (const text of decodeProposal(bytes)?.texts.slice(0, Math.min(count, most)) ?? []) {
        if (keys.length === MAX_OF_ROUND) return keys
        await yieldToEventLoop()
        keys.push(await keyOf(text))
      }
    return keys
  }
  return {
    async before(round) {
      const first = Math.max(0, round - ROUNDS)
      for (const old of rounds.keys()) if (old < first) rounds.delete(old)
      for (let at = first; at < round; at++) if (!rounds.has(at)) rounds.set(at, await keysOf(at))
      const earlier = [...rounds].filter(([at]) => at < round).sort(([a], [b]) => b - a)
      const newest = earlier.flatMap(([at, keys]) => keys.map(key => [key, at] as const))
      return new Map(newest.slice(0, MAX_TASKS).reverse())
    },
  }
}
