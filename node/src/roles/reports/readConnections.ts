import { z } from 'zod'
import { readJournal } from './readJournal.ts'
import { CONNECTIONS, type KnownConnections } from './reportConnections.ts'

const connectionsSchema = z.object({
  peers: z.int(),
  alone: z
    .object({
      reason: z.enum(['nobody known', 'connecting', 'nobody reached', 'hung up on']),
      found: z.string(),
      advice: z.string(),
    })
    .nullable(),
  reachability: z
    .object({ by: z.enum(['direct', 'relay', 'nothing']), publicAddresses: z.array(z.string()) })
    .nullable()
    .default(null),
  atMs: z.number(),
})

/**
 * The last reported number of connected peers; null if none was reported.
 *
 * @param path - the journal's file, which exists.
 * @throws {JournalUnusableError} if it cannot be read.
 */
export function readConnections(path: string): KnownConnections | null {
  const kept = readJournal(path, db => db.prepare('SELECT value FROM state WHERE key = ?').get(CONNECTIONS))
  const parsed = connectionsSchema.safeParse(kept && JSON.parse(String(kept.value)))
  return parsed.success ? parsed.data : null
}
