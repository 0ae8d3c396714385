import { setTimeout as wait } from 'node:timers/promises'

/** Runs a statement outside of any transaction. */
type Execute = (statement: string) => Promise<{ rows: readonly Record<string, unknown>[] }>

const POLL_MS = 2_000

/**
 * Vacuums and analyzes PGlite once the index has caught up with the chain. PGlite does neither by itself, and lookups take twice the time
 * until then. Postgres vacuums by itself.
 */
export async function vacuumWhenReady(execute: Execute, pollMs = POLL_MS): Promise<void> {
  const { rows } = await execute('SELECT version() AS version')
  if (!String(rows[0]?.version).includes('emcc')) return
  while (!(await isReady(execute))) await wait(pollMs, undefined, { ref: false })
  await execute('VACUUM ANALYZE')
}

async function isReady(execute: Execute): Promise<boolean> {
  const { rows } = await execute("SELECT value->>'is_ready' AS ready FROM _ponder_meta")
  return rows.length > 0 && rows.every(({ ready }) => ready === '1')
}
