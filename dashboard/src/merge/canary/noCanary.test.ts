import { expect, test } from 'vitest'
import { noCanary } from './noCanary.ts'

const status = (round: number | null, everyRounds: number) => ({
  ...{ round, secondsLeft: null, level: null, roles: {}, releases: {} },
  environment: { canary: { everyRounds } },
})

test('canaries that were due and never came are told apart from those that are not due yet', () => {
  expect(noCanary(null).title).toBe('No canary has run yet.')
  expect(noCanary(status(null, 5)).title).toBe('No canary has run yet.')
  expect(noCanary(status(9, 5)).why).toContain('a multiple of 5')
  expect(noCanary(status(40, 5)).title).toBe('No canary of a solver was kept yet.')
  expect(noCanary(status(40, 50)).title).toBe('No canary has run yet.')
})
