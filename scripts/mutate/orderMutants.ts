import { createHash } from 'node:crypto'
import type { Mutant } from './findMutants.ts'

/**
 * The order in which a seed draws mutants. Each has its own place, by the text of its line, so that an edit elsewhere moves no other
 * mutant: what was tried stays in the sample.
 */
export function orderMutants(sources: ReadonlyMap<string, string>, mutants: readonly Mutant[], seed: string): Mutant[] {
  const seen = new Map<string, number>()
  const placed = mutants.map(mutant => {
    const text = sources.get(mutant.file)?.split('\n')[mutant.line - 1]?.trim()
    const name = `${mutant.file}\0${text}\0${mutant.before}\0${mutant.after}`
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    return { mutant, rank: createHash('sha256').update(`${seed}\0${name}\0${nth}`).digest('hex') }
  })
  return placed.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ mutant }) => mutant)
}
