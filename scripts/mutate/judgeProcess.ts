import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Mutant } from './findMutants.ts'
import type { Verdict } from './tried.ts'

/** Exit code for a mutant that exceeded its limits. */
export const EXHAUSTED = 99

export interface Judged {
  verdict: Verdict
  cpuSec: number
}

/**
 * Judges mutants in a separate process that stays warm between them. An endless loop can exhaust memory long before its gas: it then ends
 * the process, which counts as detected.
 */
export function openJudge(root: string) {
  let child: ChildProcess | undefined
  const start = () => fork(join(import.meta.dirname, 'judge.ts'), [root])
  return {
    async judge(mutant: Mutant, source: string): Promise<Judged> {
      child ??= start()
      const ended = new AbortController()
      const answer = once(child, 'message', { signal: ended.signal }).then(([judged]) => judged as Judged)
      const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => code as number | null)
      child.send({ mutant, source })
      const first = await Promise.race([answer, exit])
      ended.abort()
      void Promise.allSettled([answer, exit])
      if (first !== null && typeof first === 'object') return first
      child = undefined
      if (first !== EXHAUSTED) throw new Error(`the judging process ended with code ${first}`)
      return { verdict: 'caught', cpuSec: 0 }
    },
    close: () => child?.kill(),
  }
}
