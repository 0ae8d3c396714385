import { sql } from 'ponder'

/** Ponder names the database schema before it reads these files. On Postgres it makes views before it searches there. */
const namespace = (globalThis as { PONDER_NAMESPACE_BUILD?: { schema?: string } }).PONDER_NAMESPACE_BUILD?.schema
const checkpoints = sql.raw(namespace === undefined ? '_ponder_checkpoint' : `"${namespace}"._ponder_checkpoint`)

/**
 * Unix time of the last indexed block, seconds. Ponder keeps its chain, block and time in one string that starts with ten digits
 * of the time. A bigint, as times in the tables are: an index on them serves a comparison.
 */
export const chainTimeSec = sql`(SELECT COALESCE(MAX(SUBSTR(latest_checkpoint, 1, 10)), '0')::bigint FROM ${checkpoints})`
