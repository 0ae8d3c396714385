import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createJournal } from '#store/journal.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { REFUTED, type Refutations, readRefuted } from './refutations.ts'

const data = mkdtempSync(join(tmpdir(), 'refutations-'))
afterAll(() => rmSync(data, { recursive: true }))
const peer: Hex = `0x${'11'.repeat(32)}`

test('notes of a running node are reported for the peer and the round alone', () => {
  expect(readRefuted(data, 3, peer)).toBeNull()
  const db = openDatabase(join(data, JOURNAL_FILE))
  const noted: Refutations = { [peer]: 'unpaid base: another' }
  createJournal(db, systemClock).set(3, REFUTED, noted)
  expect(readRefuted(data, 3, peer)).toBe('unpaid base: another')
  expect(readRefuted(data, 4, peer)).toBeNull()
  expect(readRefuted(data, 3, `0x${'22'.repeat(32)}` as const)).toBeNull()
  db.close()
})
