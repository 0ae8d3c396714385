import { expect, test } from 'vitest'
import { rolesOf } from './rolesOf.ts'

test('roles are counted in the order of the work', () => {
  const roles = ['evaluator', 'solver', 'gateway', 'solver', 'proposer']
  expect(rolesOf(roles.map(role => ({ role })))).toBe('1 proposer, 2 solvers, 1 evaluator, 1 gateway')
  expect(rolesOf([])).toBe('')
})
