import { expect, test } from 'vitest'
import { judgeSentence } from './judgeSentence.ts'

const game = { gameId: 0n, details: '', status: 'resolved', answer: 1, winner: 1, disputer: null, pot: 0n } as const

test('a Judge is told by its games and the answers that stood', () => {
  expect(judgeSentence(null)).toBeNull()
  const open = { ...game, status: 'open', answer: null, winner: null } as const
  const overturned = { ...game, winner: 2 }
  expect(judgeSentence({ totalCount: 1, items: [open] })).toBe('Judge of the market: 1 game, none has ended yet.')
  expect(judgeSentence({ totalCount: 3, items: [open, overturned, game] })).toBe(
    'Judge of the market: 3 games, 1 of 2 answers stood.',
  )
  expect(judgeSentence({ totalCount: 9, items: [game] })).toBe(
    'Judge of the market: 9 games, 1 of 1 answer stood in the newest 1.',
  )
})

test('an answer that nobody bet on stands, and games that ended without one do not count', () => {
  const nobody = { ...game, status: 'void', winner: null } as const
  const missed = { ...nobody, answer: null } as const
  const upheld = { ...nobody, disputer: '0xb' } as const
  const refuted = { ...upheld, pot: 9n } as const
  expect(judgeSentence({ totalCount: 2, items: [nobody, upheld] })).toBe(
    'Judge of the market: 2 games, 2 of 2 answers stood.',
  )
  expect(judgeSentence({ totalCount: 3, items: [refuted, missed, game] })).toBe(
    'Judge of the market: 3 games, 1 of 2 answers stood.',
  )
  expect(judgeSentence({ totalCount: 1, items: [missed] })).toBe(
    'Judge of the market: 1 game, none has ended with an answer.',
  )
})
