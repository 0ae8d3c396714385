import { ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { patchSources } from '../../scripts/simulate/compilePatched.ts'
import { votesAttacks } from '../../scripts/simulate/votes/attacks.ts'
import { BROKEN_ROWS, changesOf } from '../../scripts/test/brokenRows.ts'

test('every defence that the simulation switches off is where it expects it', () => {
  for (const { without } of votesAttacks) patchSources(without.patches ?? [])
})

test('every line that makes a row of INVARIANTS.md fall is where it is expected', () => {
  for (const { patches } of Object.values(BROKEN_ROWS)) patchSources(patches)
})

test('INVARIANTS.md quotes these lines as they are', () => {
  const table = readFileSync(join(import.meta.dirname, 'INVARIANTS.md'), 'utf8')
  for (const [name, broken] of Object.entries(BROKEN_ROWS))
    ok(table.includes(`\n| ${name} | ${changesOf(broken)} | `), name)
})
