import { expect, test } from 'vitest'
import type { OutboxAttempt, OutboxIntent } from '#core/outboxStore.ts'
import { openDatabase } from './openDatabase.ts'
import { createOutboxTable } from './outboxTable.ts'

const intent = (key: string, throughRound: number | null = null): OutboxIntent => ({
  key,
  to: '0x01',
  data: '0x02',
  fromRound: null,
  throughRound,
})
const attempt = (nonce: number, fee = 10n): OutboxAttempt => ({
  hash: `0x${nonce}${fee}`,
  raw: '0x03',
  nonce,
  gas: 21_000n,
  maxFeePerGasWei: fee,
  maxPriorityFeePerGasWei: fee / 2n,
  signedAtMs: 1,
})
const open = () => createOutboxTable(openDatabase(':memory:'))

test('asking twice for one key is asking once', () => {
  const table = open()
  const first = table.insert(intent('a', 5))
  expect(table.insert({ ...intent('a', 9), data: '0xff' })).toEqual(first)
  expect(table.live()).toHaveLength(1)
})

test('an entry goes from queued over signed and mined to confirmed, and keeps its attempts, the last one that was added at the end', () => {
  const table = open()
  const { id } = table.insert(intent('a'))
  table.addAttempt(id, attempt(7))
  table.addAttempt(id, attempt(7, 20n))
  table.addAttempt(id, attempt(7))
  expect(table.get('a')).toMatchObject({ status: 'signed', attempts: [attempt(7, 20n), attempt(7)] })
  table.markMined(id, { hash: attempt(7, 20n).hash, block: 9, revertedWith: null })
  expect(table.lastMinedBlock()).toBe(9)
  expect(table.get('a')).toMatchObject({ status: 'mined', minedBlock: 9, minedHash: attempt(7, 20n).hash })
  table.setStatus(id, 'confirmed', null)
  expect(table.live()).toEqual([])
  expect(table.minedFromNonce(7).map(entry => entry.key)).toEqual(['a'])
  expect(table.minedFromNonce(8)).toEqual([])
  table.setStatus(id, 'signed', null)
  expect(table.lastMinedBlock()).toBeNull()
  expect(table.get('a')).toMatchObject({ status: 'signed', minedBlock: null, minedHash: null })
})

test('entries whose round has passed are dropped in one step, mined ones are not', () => {
  const table = open()
  for (const [key, through] of [
    ['a', 3],
    ['b', 4],
    ['c', null],
    ['d', 2],
  ] as const)
    table.insert(intent(key, through))
  const mined = table.insert(intent('e', 1))
  table.addAttempt(mined.id, attempt(1))
  table.markMined(mined.id, { hash: attempt(1).hash, block: 1, revertedWith: null })
  expect(table.dropExpired(4).map(entry => [entry.key, entry.status])).toEqual([
    ['a', 'dropped'],
    ['d', 'dropped'],
  ])
  expect(table.live().map(entry => entry.key)).toEqual(['b', 'c', 'e'])
})

test('a nonce is signed if any entry has an attempt with it', () => {
  const table = open()
  table.insert(intent('a'))
  table.addAttempt(table.insert(intent('b')).id, attempt(1))
  expect([1, 2].map(table.isSigned)).toEqual([true, false])
})

test('pruning forgets the oldest finished entries with their attempts', () => {
  const table = open()
  for (const key of ['a', 'b', 'c']) {
    const { id } = table.insert(intent(key))
    table.addAttempt(id, attempt(id))
    table.setStatus(id, 'dropped', 'x')
  }
  table.insert(intent('live'))
  table.prune(1)
  expect(['a', 'b', 'c', 'live'].map(key => table.get(key) !== undefined)).toEqual([false, false, true, true])
  expect(table.isSigned(1)).toBe(false)
})

test('entries of another chain are forgotten', () => {
  const table = open()
  expect(table.adopted()).toBe(null)
  table.adopt('one')
  expect(table.adopted()).toBe('one')
  table.insert(intent('a'))
  expect(table.adopt('one')).toBe(0)
  expect(table.adopt('two')).toBe(1)
  expect(table.live()).toEqual([])
  expect(table.adopt('two')).toBe(0)
})
