import { join } from 'node:path'
import { expect, it } from 'vitest'
import { equivalents } from './equivalents.ts'
import { findMutants } from './findMutants.ts'
import { matchEquivalents } from './matchEquivalents.ts'
import { readSources } from './readSources.ts'

const root = join(import.meta.dirname, '../..')
const file = 'contracts/src/Any.sol'
const entry = { file, before: 'if (a == 0) b = 0;', after: 'if (a == 0) b = 1;', reason: 'Nobody reads it.' }

function match(source: string, listed = [entry]) {
  const mutants = findMutants(file, source)
  return [...matchEquivalents(new Map([[file, source]]), mutants, listed)].map(({ line, offset }) => [line, offset])
}

it('names a mutant of today for each listed one', () => {
  const sources = readSources(root, () => true)
  const mutants = [...sources].flatMap(([path, source]) => findMutants(path, source))
  expect(matchEquivalents(sources, mutants, equivalents).size).toBe(equivalents.length)
})

it('tells two equal numbers of a line apart, and finds the line where it has moved', () => {
  expect(match('if (a == 0) b = 0;\n')).toEqual([[1, 16]])
  expect(match('c = 1;\n    if (a == 0) b = 0;\n')).toEqual([[2, 27]])
})

it('refuses an entry whose line has changed, or is there twice', () => {
  expect(() => match('if (a == 0) c = 0;\n')).toThrow('no mutant of contracts/src/Any.sol read "if (a == 0) b = 0;"')
  expect(() => match('if (a == 0) b = 0;\nif (a == 0) b = 0;\n')).toThrow('2 mutants of contracts/src/Any.sol')
})
