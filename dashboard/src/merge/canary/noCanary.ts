import { z } from 'zod'
import type { SwarmStatus } from '#sources/gateway.ts'

const rules = z.object({ canary: z.object({ everyRounds: z.int().min(1) }) })

/** Rounds until the results of a canary are with the gateway, at most. */
const LATE = 5

/** The reason why there are no canaries: none was due yet, or none that was due arrived. `status` is null if the gateway does not tell it. */
export function noCanary(status: SwarmStatus | null): { title: string; why: string } {
  const { data } = rules.safeParse(status?.environment)
  if (data === undefined) return { title: 'No canary has run yet.', why: 'The first one comes after a few rounds.' }
  const every = data.canary.everyRounds
  const due = every === 1 ? 'each round' : `each round whose number is a multiple of ${every}`
  if ((status?.round ?? 0) < every + LATE)
    return { title: 'No canary has run yet.', why: `Solvers try held-out tasks in ${due}.` }
  return {
    title: 'No canary of a solver was kept yet.',
    why: `Solvers should try held-out tasks in ${due}, but this gateway has received no valid result. They may be too slow, or took part in none of these rounds.`,
  }
}
