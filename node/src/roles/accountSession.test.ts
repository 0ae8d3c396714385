import { expect, test, vi } from 'vitest'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { continueOpenCalls } from './accountSession.ts'

const uuid = (last: number) => `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`
const bet = (id: string, data: OutboxIntent['data'] = '0x01'): OutboxIntent => ({
  ...{ key: `market:bet:${id}`, to: `0x${'bb'.repeat(20)}`, data, fromRound: null, throughRound: null },
})

/** The keys that the calls are sent under, and how often it is said that one is continued. */
function sent(open: OutboxIntent[], calls: OutboxIntent[]) {
  const store = createOutboxTable(openDatabase(':memory:'))
  for (const one of open) store.insert(one)
  const tell = vi.fn()
  const continuing = continueOpenCalls(store, tell)
  return { keys: calls.map(one => continuing(one).key), told: tell.mock.calls.length }
}

const [first, second, again, third] = [1, 2, 3, 4].map(last => bet(uuid(last))) as [
  OutboxIntent,
  OutboxIntent,
  OutboxIntent,
  OutboxIntent,
]

test('each open call of another command is continued once, and the caller is told once', () => {
  const other = bet(uuid(5), '0x02')
  const { keys, told } = sent([first, second], [again, other, third, bet(uuid(6))])
  expect(keys).toEqual([first.key, other.key, second.key, bet(uuid(6)).key])
  expect(told).toBe(1)
})

test('a call of the peer itself is not continued, nor is the same call told as one of another command', () => {
  expect(sent([bet(`peer-${uuid(1)}`), bet('7')], [second])).toEqual({ keys: [second.key], told: 0 })
  expect(sent([first, second], [second, again])).toEqual({ keys: [second.key, first.key], told: 1 })
})
