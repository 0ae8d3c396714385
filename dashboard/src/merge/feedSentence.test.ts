import { expect, test } from 'vitest'
import { feedSentence } from './feedSentence.ts'

const event = (kind: string, detail: Record<string, string | number | null> = {}) => ({ kind, round: 3, detail })

test('events read as sentences after the name of a peer', () => {
  expect(feedSentence(event('tasksProposed', { count: 24 }))).toBe('proposed 24 tasks')
  expect(feedSentence(event('rolloutsCommitted', { leafCount: 1 }))).toBe('committed 1 rollout')
  expect(feedSentence(event('settled', { outcome: 'scored', scoreMilli: 412 }))).toBe('earned 0.41 points')
  expect(feedSentence(event('settled', { outcome: 'void', scoreMilli: 0 }))).toMatch(/void/)
  expect(feedSentence(event('nectarClaimed', { amountWei: '750000000000000000000' }))).toBe('claimed 750.00 Nectar')
  expect(feedSentence(event('compensated', { amountWei: '25000000000000000000' }))).toBe(
    'paid 25.00 Nectar of its stake to the appellant',
  )
  const bet = { gameId: '3', account: `0x${'ab'.repeat(20)}`, choice: 1, stakeWei: '2000000000000000000' }
  expect(feedSentence(event('betPlaced', bet))).toBe('0xabab…abab bet 2.00 Nectar in game 3')
  expect(feedSentence(event('betPlaced', { gameId: '3', bets: 4, accounts: 1, stakeWei: bet.stakeWei }))).toBe(
    '1 account placed 4 bets of 2.00 Nectar in game 3',
  )
  expect(feedSentence(event('clueProven', { gameId: '3', number: 1 }))).toBe('Clue 1 of game 3 was proven')
  expect(feedSentence(event('leafFalse'))).toBe('lost round 3: one of its leaves was false')
  const verdict = { scoreMilli: 0, settledMilli: 1_000 }
  expect(feedSentence(event('appealClosed', verdict))).toBe('has 0.00 points for round 3 after an appeal')
  expect(feedSentence(event('appealMoot', verdict))).toContain('the round was lost for another reason')
  expect(feedSentence(event('beaconDrawn'))).toBe('The beacon of round 3 was drawn')
  expect(feedSentence(event('settled', { outcome: 'unavailable', scoreMilli: 0 }))).toMatch(/unavailable/)
})

test('an event that this dashboard does not know is shown by its own name', () => {
  expect(feedSentence(event('beaconFixed'))).toBe('beaconFixed')
})
