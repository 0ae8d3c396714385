import { readJournal } from '#roles/reports/readJournal.ts'

/** A node's report of one round, as a solver or a proposer. */
type RoundReport = { round: number } & Record<string, unknown>

/**
 * The reports of a peer's journal, oldest first. The peer may be running.
 *
 * @param path - the journal's file, which exists.
 * @throws {JournalUnusableError} if it cannot be read.
 */
export function readReports(path: string): RoundReport[] {
  return readJournal(path, db => {
    const rows = db.prepare("SELECT round, value FROM facts WHERE key = 'report' ORDER BY round").all()
    return rows.map(({ round, value }) => ({ ...JSON.parse(String(value)), round: Number(round) }))
  })
}
