import { basename } from 'node:path'
import { compile } from '../solidity/compileTests.ts'
import { tryEffort } from '../solidity/effort.ts'
import { runTests } from '../solidity/runTests.ts'
import { applyMutant, type Mutant } from './findMutants.ts'
import { testsOf } from './testsOf.ts'
import type { Verdict } from './tried.ts'

/** Runs the test files of a mutant's contract, one after the other, up to the first that fails. */
export async function judgeMutant(root: string, mutant: Mutant, source: string): Promise<Verdict> {
  const changed = new Map([[mutant.file, applyMutant(source, mutant)]])
  for (const file of testsOf(basename(mutant.file, '.sol'))) {
    if (!(await passes(root, file, changed))) return 'caught'
  }
  return 'survived'
}

/** @returns false if a test fails; throws {@link InvalidMutant} if the sources do not compile. */
async function passes(root: string, file: string, changed: ReadonlyMap<string, string>): Promise<boolean> {
  const compilation = compile(root, [file], changed)
  if ('errors' in compilation) throw new InvalidMutant(compilation.errors[0] ?? 'no reason given')
  const outcomes = await runTests(compilation.contracts, [file], tryEffort)
  if (outcomes.length === 0) throw new Error(`${file} has no test`)
  return outcomes.every(({ passed }) => passed)
}

/** A change that no compiler takes is not a mutant. */
export class InvalidMutant extends Error {}
