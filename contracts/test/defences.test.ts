import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { testsOf } from '../../scripts/mutate/testsOf.ts'
import { patchSources } from '../../scripts/simulate/compilePatched.ts'
import { votesAttacks } from '../../scripts/simulate/votes/attacks.ts'
import { BROKEN_ROWS } from '../../scripts/test/brokenRows.ts'

test('every defence that the simulation switches off is where it expects it', () => {
  for (const { without } of votesAttacks) patchSources(without.patches ?? [])
})

test('every line that makes a row of INVARIANTS.md fall is where it is expected', () => {
  for (const { patches } of Object.values(BROKEN_ROWS)) patchSources(patches)
})

test('the mutation run knows the tests of every contract', () => {
  const names = readdirSync(join(import.meta.dirname, '..', 'src'), { recursive: true, encoding: 'utf8' })
  for (const name of names) if (name.endsWith('.sol') && !name.startsWith('interfaces')) testsOf(basename(name, '.sol'))
})
