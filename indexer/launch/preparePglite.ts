import { existsSync, rmSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { type HeldIndex, type Query, readHeld, takeBackTip } from './readHeld.ts'

export type Preparation =
  | { kind: 'none' }
  | { kind: 'kept'; held: HeldIndex | null; drop: () => Promise<void> }
  | { kind: 'dropped'; reason: string }

/**
 * Prepares the index on disk for Ponder: repairs it after a kill, or drops it if it is useless. Opening it replays PGlite's log. Ponder
 * would then wait 25 s for the lock of the killed process. Only the holder of the folder's lock knows that this process is dead, so it is
 * unlocked here.
 *
 * @param folder - PGlite's, held by this process.
 * @param schema - the index that is wanted; the folder holds one only.
 */
export async function preparePglite(folder: string, schema: string): Promise<Preparation> {
  if (!existsSync(folder)) return { kind: 'none' }
  const drop = async () => rmSync(folder, { recursive: true, force: true })
  let db: PGlite | undefined
  try {
    db = await PGlite.create(folder)
    const { rows } = await db.query('SELECT 1 FROM information_schema.schemata WHERE schema_name = $1', [schema])
    if (rows.length === 0) {
      await db.close()
      await drop()
      return { kind: 'dropped', reason: 'it was built by other code, or for another deployment or chain' }
    }
    await db.exec(`UPDATE "${schema}"._ponder_meta SET value = jsonb_set(value, '{is_locked}', '0')`)
    const opened = db
    const query: Query = (statement, values) => opened.query(statement, values)
    await takeBackTip(query, schema)
    const held = await readHeld(query, schema)
    await db.close()
    return { kind: 'kept', held, drop }
  } catch (error) {
    await db?.close().catch(() => {})
    await drop()
    return { kind: 'dropped', reason: `it does not open (${error instanceof Error ? error.message : error})` }
  }
}
