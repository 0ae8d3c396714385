import { expect, test } from 'vitest'
import { presets } from '../../node/src/environments/builtIn.ts'
import { contradictionsOf } from '../../node/src/environments/contradictionsOf.ts'
import { arms } from './arms.ts'

test('each arm has sound rules, but for the leaves that nobody owes in an experiment', () => {
  const found = arms.flatMap(({ spec }) => contradictionsOf(spec(presets.starter)))
  expect(new Set(found.map(({ path }) => path.join('.')))).toEqual(new Set(['owedLeaves']))
})
