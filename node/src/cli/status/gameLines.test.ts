import { expect, test } from 'vitest'
import { gameLines, oneGameLines, quoteLines } from './gameLines.ts'

const game = {
  judge: '0x90f79bf6eb2c4f870365e785982e1f101e93b906' as const,
  ...{ gameId: '12', phase: 'betting' as const, round: 1 },
  ...{ roundCount: 4, cluesRevealed: 1, startsAtSec: 1_000, bettingSec: 60, revealSec: 30, disputeSec: 60 },
  ...{ minBet: '0.01', bond: '10', feeBps: 200, totalStake: '12.345678901234567891', claimable: '0', answer: null },
  choices: [
    { stake: '12.345678901234567891', shares: 1n, price: '1.041666666666666667' },
    { stake: '0', shares: 0n, price: '1' },
  ],
}
const over = { ...game, gameId: '11', phase: 'resolved' as const, answer: 1, claimable: '2.000000000000000001' }
const token = { token: 'NECTAR', chainTimeSec: 1_105, owed: '0.5' }

test('games are a table with states in words, times from now and amounts that can be read', () => {
  expect(gameLines({ ...token, games: [game, over] })).toEqual([
    'game  state                  next                     staked  to claim',
    '12    betting, round 2 of 4  betting closes in 45 s  12.3456         ·',
    '11    resolved: choice 1     ·                       12.3456         2',
    'newest first, amounts in Nectar; npx waggle market show --game N prints a question, its choices and clues',
    'to take a payout: npx waggle market claim --game 11',
    '0.5 Nectar owed to the account: npx waggle market withdraw',
  ])
  expect(gameLines({ ...token, games: [] })).toEqual(['No game has been opened yet.'])
})

test('the next step of a game follows from its phase', () => {
  const next = (phase: 'waiting' | 'awaiting clue' | 'awaiting answer' | 'disputable', cluesRevealed = 1) =>
    gameLines({ ...token, games: [{ ...game, phase, cluesRevealed }] })[1]
  expect(next('waiting', 2)).toContain('betting opens in 75 s')
  expect(next('awaiting clue')).toContain('clue due in 75 s')
  expect(next('awaiting answer')).toContain('answer due in 75 s')
  expect(next('disputable')).not.toContain('in 75 s')
  expect(gameLines({ ...token, chainTimeSec: 1_160, games: [game] })[1]).toContain('betting closes 10 s ago')
  expect(gameLines({ ...token, chainTimeSec: 1, games: [{ ...game, startsAtSec: 8_000 }] })[1]).toContain('in 2 h')
})

test('one game shows its question, its choices by name and its clues', () => {
  const choices = game.choices.map((choice, at) => ({ name: ['two sums', 'primes'][at] ?? '', ...choice }))
  expect(oneGameLines({ ...token, ...game, choices, question: 'Which?', clues: ['a line\nor two'] })).toEqual([
    'game 12: Which?',
    'state      betting, round 2 of 4; betting closes in 45 s',
    'staked     12.3456 Nectar; a bet is at least 0.01',
    'judge      0x90f79bf6eb2c4f870365e785982e1f101e93b906, with a bond of 10 Nectar, for 2 % of the losing stakes',
    'choices',
    '  0  two sums  12.3456 Nectar  1.0416 a share',
    '  1  primes    0 Nectar        1 a share',
    'clues',
    '  1  a line\n     or two',
  ])
})

test("a Judge's texts reach the terminal without control sequences, and make no lines of their own", () => {
  const hostile = 'a\n\nto claim   \u001b]52;c;eA==\u0007\u009b2J\u202eb'
  const choices = game.choices.map(choice => ({ ...choice, name: hostile }))
  const lines = oneGameLines({ ...token, ...game, choices, question: hostile, clues: [hostile] })
  expect(lines.join('\n')).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
  expect(
    lines
      .join('\n')
      .split('\n')
      .filter(line => line.startsWith('to claim')),
  ).toEqual([])
})

test('a quote says what a bet buys and pays', () => {
  const quote = { stake: '2', price: '1.25', shares: '1.6', payout: '3.123456789' }
  expect(quoteLines({ round: 0, choice: 1, ...quote })).toEqual([
    '2 Nectar on choice 1 buy 1.6 shares at 1.25, in round 1',
    'they pay 3.1234 Nectar if it wins and nobody bets after you, and nothing if it does not',
  ])
})
