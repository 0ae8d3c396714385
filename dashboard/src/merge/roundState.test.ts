import { expect, test } from 'vitest'
import { isClosed, roundState } from './roundState.ts'

test('a round passes through its states one round at a time', () => {
  const states = [14, 13, 12, 11, 10, 9, 8, 7, 6].map(round => roundState(round, 11, 3))
  expect(states).toEqual([
    'ahead',
    'proposing',
    'proposing',
    'open',
    'voting',
    'revealing',
    'settling',
    'final',
    'final',
  ])
})

test('a longer finality keeps a round settling until it is final', () => {
  expect(roundState(5, 9, 4)).toBe('settling')
  expect(roundState(4, 9, 4)).toBe('final')
})

test('a round is closed once no solver can commit to rollouts', () => {
  const open = (['ahead', 'proposing', 'open'] as const).map(isClosed)
  const closed = (['voting', 'revealing', 'settling', 'final'] as const).map(isClosed)
  expect([isClosed(null), ...open]).not.toContain(true)
  expect(closed).not.toContain(false)
})
