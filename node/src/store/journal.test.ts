import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createJournal } from './journal.ts'
import { openDatabase } from './openDatabase.ts'

test('facts and state are there after the database was opened again', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'waggle-journal-')), 'journal.sqlite')
  const first = openDatabase(file)
  const journal = createJournal(first, createManualClock())
  journal.set(3, 'published', { contentId: '0x01', taken: [1, 2] })
  journal.set(3, 'published', { contentId: '0x02', taken: [] })
  journal.set(4, 'salt', '0x03')
  journal.setState('level', 3)
  first.close()

  const again = createJournal(openDatabase(file), createManualClock())
  expect(again.get(3, 'published')).toEqual({ contentId: '0x02', taken: [] })
  expect(again.round(4)).toEqual({ salt: '0x03' })
  expect(again.latestRound()).toBe(4)
  expect(again.getState('level')).toBe(3)
  expect(again.get(5, 'salt')).toBeUndefined()
  expect(again.getState('none')).toBeUndefined()
})

test('notes are kept in order, with their time', () => {
  const clock = createManualClock(1000)
  const journal = createJournal(openDatabase(':memory:'), clock)
  journal.note('first')
  clock.advance(5)
  journal.note('second', { rounds: [4, 9] })
  expect(journal.notes(10)).toEqual([
    { atMs: 1000, message: 'first', fields: {} },
    { atMs: 1005, message: 'second', fields: { rounds: [4, 9] } },
  ])
  expect(journal.notes(1).map(note => note.message)).toEqual(['second'])
})

test('pruning forgets older rounds only', () => {
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  for (const round of [1, 2, 3]) journal.set(round, 'key', round)
  journal.prune(3)
  expect([1, 2, 3].map(round => journal.get(round, 'key'))).toEqual([undefined, undefined, 3])
})

test('an empty journal has no latest round', () => {
  expect(createJournal(openDatabase(':memory:'), createManualClock()).latestRound()).toBeUndefined()
})
