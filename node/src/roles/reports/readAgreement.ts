import { newestAgreement, type RoundAgreement } from '../gateway/judgeCounts.ts'
import type { CanaryPoint } from '../gateway/measureCanary.ts'
import { readJournal } from './readJournal.ts'

/**
 * How the judge fits execution by the newest canaries that this node ran; null if it ran none, as all do but gateways.
 *
 * @param path - the journal's file, which exists.
 * @throws {JournalUnusableError} if it cannot be read.
 */
export function readAgreement(path: string): RoundAgreement | null {
  const points = readJournal(path, db => {
    const newest = "SELECT max(round) FROM facts WHERE key LIKE 'measured %'"
    const rows = db.prepare(`SELECT value FROM facts WHERE key LIKE 'measured %' AND round = (${newest})`).all()
    return rows.map(({ value }) => JSON.parse(String(value)) as CanaryPoint)
  })
  return newestAgreement(points)
}
