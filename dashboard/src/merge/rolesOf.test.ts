import { expect, test } from 'vitest'
import { rolesOf } from './rolesOf.ts'

test('roles are counted in the order of the work', () => {
  expect(rolesOf({ evaluator: 1, solver: 2, gateway: 1, proposer: 1 })).toBe(
    '1 proposer, 2 solvers, 1 evaluator, 1 gateway',
  )
  expect(rolesOf({})).toBe('')
})
