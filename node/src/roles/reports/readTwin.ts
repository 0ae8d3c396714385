import { z } from 'zod'
import { readJournal } from './readJournal.ts'
import { TWIN, TWIN_FOR_MS, type Twin } from './twin.ts'

const twinSchema = z.object({ sinceMs: z.number(), lastMs: z.number(), evidence: z.string() })

/**
 * Another process that runs with this peer's keys, as the peer found it within the last half hour; null if there is none.
 *
 * @param path - the journal's file, which exists.
 * @throws {JournalUnusableError} if it cannot be read.
 */
export function readTwin(path: string, nowMs: number): Twin | null {
  const kept = readJournal(path, db => db.prepare('SELECT value FROM state WHERE key = ?').get(TWIN))
  const parsed = twinSchema.safeParse(kept && JSON.parse(String(kept.value)))
  return parsed.success && nowMs - parsed.data.lastMs < TWIN_FOR_MS ? parsed.data : null
}
