import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { readJournal } from '../reports/readJournal.ts'

/** The journal's fact of a round: why sampling of peers was refuted, by their keys. */
export const REFUTED = 'refuted sampling'
export type Refutations = Record<Hex, string>

/** A journal's entry about a peer's sampling; null if there is none. */
export function readRefuted(data: string, round: number, peerKey: PeerKey): string | null {
  const path = join(data, JOURNAL_FILE)
  if (!existsSync(path)) return null
  return readJournal(path, db => {
    const row = db.prepare('SELECT value FROM facts WHERE round = ? AND key = ?').get(round, REFUTED)
    const refutations: Refutations = row === undefined ? {} : JSON.parse(String(row.value))
    return refutations[peerKey] ?? null
  })
}
