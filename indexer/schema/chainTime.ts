import { sql } from 'ponder'

/** Ponder keeps chain, block and time of its last block in one string that starts with ten digits of Unix seconds. A bigint, as times in the tables are: an index on them serves a comparison. */
export const chainTimeSec = sql`(SELECT COALESCE(MAX(SUBSTR(latest_checkpoint, 1, 10)), '0')::bigint FROM _ponder_checkpoint)`
