import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createTwinWatch, noteCommitted, readTwin, TWIN_FOR_MS, watchCommitment } from './twin.ts'

const hex = (byte: string): Hex => `0x${byte.repeat(32)}`
const OWN = hex('aa')

function scene() {
  const clock = createManualClock(1_000)
  const path = join(mkdtempSync(join(tmpdir(), 'waggle-twin-')), 'journal.sqlite')
  const journal = createJournal(openDatabase(path), clock)
  const lines: string[] = []
  const logger = createLogger({ write: line => lines.push(line.slice(9)), format: 'pretty', level: 'info', clock })
  const twin = createTwinWatch({ journal, clock, logger })
  return { clock, path, journal, lines, logger, twin, status: () => readTwin(path, clock.nowMs()) }
}

test('a twin is warned of once with what to do, is known to commands, and ends where there is no sign of it', () => {
  const { clock, lines, twin, status } = scene()
  expect([twin.current(), status()]).toEqual([null, null])
  for (let minute = 0; minute < 3; minute++) {
    twin.seen('it announces /ip4/192.0.2.7/tcp/4001')
    clock.advance(60_000)
  }
  expect(lines).toEqual([expect.stringMatching(/^WARN {2}runs twice.*192\.0\.2\.7.*Stop one of the two/)])
  expect(twin.current()).toEqual({ sinceMs: 1_000, lastMs: 121_000, evidence: 'it announces /ip4/192.0.2.7/tcp/4001' })
  expect(status()).toEqual(twin.current())
  clock.advance(TWIN_FOR_MS)
  expect([twin.current(), status()]).toEqual([null, null])
  twin.seen('it signs announcements')
  expect(lines.length).toBe(2)
})

test('a commitment of the own key that this process did not make shows a twin; its own, amended ones and silence do not', async () => {
  const { journal, logger, twin } = scene()
  const committed: Record<number, Hex> = { 5: hex('05'), 6: hex('66'), 7: hex('99') }
  const readRolloutCommitments = async (round: number) => {
    if (round === 9) throw new Error('no answer')
    const contentId = committed[round]
    const others = [{ peerKey: hex('bb'), contentId: hex('77') }]
    return (contentId === undefined ? others : [...others, { peerKey: OWN, contentId }]) as never
  }
  const node = { identity: { peerKey: OWN }, journal, logger, twin, chain: { readRolloutCommitments } } as never
  noteCommitted(journal, 5, hex('05'))
  noteCommitted(journal, 6, hex('06'))
  noteCommitted(journal, 6, hex('66'))
  for (const round of [5, 6, 8, 9]) await watchCommitment(node, round)
  expect(twin.current()).toBe(null)
  await watchCommitment(node, 7)
  expect(twin.current()?.evidence).toBe('it committed other answers to round 7')
})
