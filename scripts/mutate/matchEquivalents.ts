import type { Equivalent } from './equivalents.ts'
import { applyMutant, type Mutant } from './findMutants.ts'

/**
 * The mutants that a list names, by the text of their line before and after, so that a line that moves stays listed.
 *
 * @param sources - by path from the root.
 * @throws if an entry names none of the mutants, or several.
 */
export function matchEquivalents(
  sources: ReadonlyMap<string, string>,
  mutants: readonly Mutant[],
  listed: readonly Equivalent[],
): Set<Mutant> {
  const byText = Map.groupBy(mutants, mutant => textOf(sources.get(mutant.file) ?? '', mutant))
  return new Set(
    listed.map(({ file, before, after }) => {
      const [mutant, ...others] = byText.get(`${file}\n${before}\n${after}`) ?? []
      if (mutant !== undefined && others.length === 0) return mutant
      const found = mutant === undefined ? 'no mutant' : `${others.length + 1} mutants`
      throw new Error(`scripts/mutate/equivalents.ts: ${found} of ${file} read "${before}" -> "${after}"`)
    }),
  )
}

function textOf(source: string, mutant: Mutant): string {
  const lineOf = (text: string) => text.split('\n')[mutant.line - 1]?.trim()
  return [mutant.file, lineOf(source), lineOf(applyMutant(source, mutant))].join('\n')
}
