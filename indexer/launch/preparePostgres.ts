import pg from 'pg'
import type { Chain } from './chain.ts'
import type { Preparation } from './preparePglite.ts'
import { type Query, readHeld, takeBackTip } from './readHeld.ts'

/** Schema in which Ponder keeps the answers of endpoints, for all its indexes of a database. */
const CACHE = 'ponder_sync'
const CACHED = ['blocks', 'transactions', 'transaction_receipts', 'logs', 'traces', 'rpc_request_results', 'intervals']

/**
 * Reads how far an index on Postgres goes, and drops what Ponder has kept of a chain that had the same id. The lock of a killed process is left to
 * Ponder, which waits for it: it may be that of another machine, whose next block sets the tip again.
 */
export async function preparePostgres(url: string, schema: string, chain: Chain): Promise<Preparation> {
  return withDatabase(url, async query => {
    if (!(await fitsCache(query, chain))) await dropCache(query, chain)
    const { rows } = await query('SELECT to_regclass($1) AS found', [`${schema}._ponder_checkpoint`])
    if (rows[0]?.found == null) return { kind: 'none' }
    const drop = () =>
      withDatabase(url, async ask => {
        await ask(`DROP SCHEMA "${schema}" CASCADE`)
        await dropCache(ask, chain)
      })
    await takeBackTip(query, schema)
    return { kind: 'kept', held: await readHeld(query, schema), drop }
  })
}

async function withDatabase<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
  } catch (cause) {
    throw new Error('the database of DATABASE_URL does not answer: start it, or unset DATABASE_URL for PGlite', {
      cause,
    })
  }
  try {
    return await work((statement, values) => client.query(statement, values))
  } finally {
    await client.end()
  }
}

/** Whether the newest block that Ponder kept of a chain with this id is still one of the chain's. */
async function fitsCache(query: Query, chain: Chain): Promise<boolean> {
  const { rows: tables } = await query('SELECT to_regclass($1) AS found', [`${CACHE}.blocks`])
  if (tables[0]?.found == null) return true
  const { rows } = await query(
    `SELECT number::text, hash FROM ${CACHE}.blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1`,
    [await chain.getChainId()],
  )
  const kept = rows[0] as { number: string; hash: string } | undefined
  if (kept === undefined) return true
  const tip = await chain.getBlock()
  // An endpoint may be behind.
  if (tip.number < BigInt(kept.number)) return true
  return (await chain.getBlock({ blockNumber: BigInt(kept.number) })).hash === kept.hash
}

async function dropCache(query: Query, chain: Chain): Promise<void> {
  const chainId = await chain.getChainId()
  for (const table of CACHED) {
    const { rows } = await query('SELECT to_regclass($1) AS found', [`${CACHE}.${table}`])
    if (rows[0]?.found != null) await query(`DELETE FROM ${CACHE}.${table} WHERE chain_id = $1`, [chainId])
  }
}
