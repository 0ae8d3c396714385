import { expect, test } from 'vitest'
import { parseTransactions, type Transaction, waitingOf, withOutcome, withTransaction } from './transactions.ts'

const sent = (digit: string): Transaction => ({ hash: `0x${digit.repeat(64)}`, what: 'Bet', state: 'waiting' })

test('the newest transaction comes first, and an outcome keeps its place', () => {
  const list = withTransaction(withTransaction([], sent('1')), sent('2'))
  expect(withOutcome(list, sent('1').hash, 'mined')).toEqual([sent('2'), { ...sent('1'), state: 'mined' }])
})

test('a transaction that was forgotten does not return with its outcome', () => {
  expect(withOutcome([sent('2')], sent('1').hash, 'mined')).toEqual([sent('2')])
})

test('a browser’s own list survives, and nonsense in it is dropped', () => {
  expect(parseTransactions(JSON.stringify([sent('1'), { hash: '0x12' }, null]))).toEqual([sent('1')])
  for (const text of [null, '', '{', '7']) expect(parseTransactions(text)).toEqual([])
})

test('a call waits for what the same account sent under its name, and for nothing of another', () => {
  const [own, other] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const
  const list = [
    { ...sent('1'), account: own },
    { ...sent('2'), account: other },
    { ...sent('3'), account: own, what: 'Bet in game 4' },
    { ...sent('4'), account: own, state: 'mined' as const },
    sent('5'),
  ]
  expect(waitingOf(list, { what: 'Bet', account: own })).toEqual([sent('1').hash, sent('5').hash])
  expect(parseTransactions(JSON.stringify([...list, { ...sent('6'), account: 'x' }]))).toEqual(list)
})
