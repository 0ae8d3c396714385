import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Mutant } from './findMutants.ts'

export type Verdict = 'caught' | 'survived' | 'invalid'
export type Tried = Mutant & { id: string; verdict: Verdict; cpuSec: number }

/** Names a mutant by what its source was: an edited file makes its mutants new. */
export function mutantId(source: string, { offset, after }: Mutant): string {
  return createHash('sha256').update(`${source}\0${offset}\0${after}`).digest('hex').slice(0, 16)
}

/** The verdicts so far, one a line, so that a stopped run can be resumed. */
export function openTried(file: string) {
  mkdirSync(dirname(file), { recursive: true })
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const known = new Map(
    lines.flatMap(line => {
      try {
        const tried = JSON.parse(line) as Tried
        return [[tried.id, tried] as const]
      } catch {
        return [] // the last line of a killed run, or an empty one
      }
    }),
  )
  return {
    known: known as ReadonlyMap<string, Tried>,
    add(tried: Tried) {
      known.set(tried.id, tried)
      appendFileSync(file, `${JSON.stringify(tried)}\n`)
    },
  }
}
