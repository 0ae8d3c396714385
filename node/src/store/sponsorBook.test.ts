import { expect, test } from 'vitest'
import { openDatabase } from './openDatabase.ts'
import { createSponsorBook } from './sponsorBook.ts'

const peerKey = `0x${'11'.repeat(32)}` as const
const DAY_MS = 86_400_000

test('a payment of a clock that was a year ahead is of the day of the next start, and others keep their time', () => {
  const db = openDatabase(':memory:')
  const nowMs = 1e12
  const ahead = createSponsorBook(db, nowMs + 365 * DAY_MS)
  for (const atMs of [nowMs - DAY_MS, nowMs + 365 * DAY_MS]) ahead.pay({ peerKey, kind: 'gas', wei: 5n, atMs })
  const book = createSponsorBook(db, nowMs)
  expect(book.payments(0).map(({ atMs }) => atMs)).toEqual([nowMs - DAY_MS, nowMs])
  expect(book.payments(nowMs + 1)).toEqual([])
})
