import { test } from 'node:test'
import { patchSources } from '../../scripts/simulate/compilePatched.ts'
import { votesAttacks } from '../../scripts/simulate/votes/attacks.ts'

test('every defence that the simulation switches off is where it expects it', () => {
  for (const { without } of votesAttacks) patchSources(without.patches ?? [])
})
