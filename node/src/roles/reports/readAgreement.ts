import type { CanaryPoint } from './canaryPoint.ts'
import { newestAgreement, type RoundAgreement } from './newestAgreement.ts'
import { readJournal } from './readJournal.ts'

/**
 * Agreement of the judge with execution on the newest canaries that this node ran; null if it ran none, as all nodes except gateways.
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
