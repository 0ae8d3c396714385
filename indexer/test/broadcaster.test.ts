import { expect, test } from 'vitest'
import { Broadcaster, type Message } from '../src/api/broadcaster.ts'
import type { FeedRow } from '../src/api/feedWindow.ts'

/** An index whose rows the test sets; it counts how often they are read. */
function fakeIndex() {
  const index = { blockNumber: 1, rows: [] as FeedRow[], reads: 0 }
  const source = {
    readMark: async () => ({
      head: { blockNumber: index.blockNumber, timestampSec: 100 },
      newestId: index.rows.at(-1)?.id ?? null,
    }),
    readRows: async () => {
      index.reads++
      return [...index.rows]
    },
  }
  return { index, broadcaster: new Broadcaster(source, { intervalMs: 3_600_000 }) }
}

function collect() {
  const messages: Message[] = []
  const send = (message: Message) => void messages.push(message)
  return { send, seen: () => messages.splice(0).map(({ event, id, data }) => `${event} ${id ?? data}`) }
}

const HEAD = 'head {"blockNumber":1,"timestampSec":100}'

test('the backlog comes first, and what it held is not sent again', async () => {
  const { index, broadcaster } = fakeIndex()
  index.rows = [{ id: '1' }, { id: '2' }, { id: '3' }]
  const { send, seen } = collect()
  const stop = await broadcaster.listen(send, { afterId: '1' })
  expect(seen()).toEqual([HEAD, 'window {"ids":["1","2","3"]}', 'item 2', 'item 3'])
  index.rows.push({ id: '4' })
  await broadcaster.tick()
  expect(seen()).toEqual(['item 4', HEAD])
  stop()
})

test('without a new block and a new row the rows are not read again', async () => {
  const { index, broadcaster } = fakeIndex()
  const { send } = collect()
  const stop = await broadcaster.listen(send, { last: 10 })
  await broadcaster.tick()
  await broadcaster.tick()
  expect(index.reads).toBe(1)
  stop()
})

test('a row that vanishes with its block replaced by one of the same number and time is retracted', async () => {
  const { index, broadcaster } = fakeIndex()
  index.rows = [{ id: '1' }, { id: '2' }]
  const { send, seen } = collect()
  const stop = await broadcaster.listen(send, { last: 0 })
  seen()
  index.rows.pop()
  await broadcaster.tick()
  expect(seen()).toEqual(['retract {"id":"2"}', HEAD])
  stop()
})

test('a subscriber after a silence gets today’s rows', async () => {
  const { index, broadcaster } = fakeIndex()
  const first = collect()
  const stop = await broadcaster.listen(first.send, { last: 5 })
  stop()
  index.rows = [{ id: '7' }]
  const second = collect()
  const stopSecond = await broadcaster.listen(second.send, { last: 5 })
  expect(second.seen()).toEqual([HEAD, 'window {"ids":["7"]}', 'item 7'])
  stopSecond()
})
