import { sql } from 'ponder'

/** Ponder keeps chain, block and time of its last block in one string that starts with ten digits of Unix seconds. */
export const chainTimeSec = sql`(SELECT COALESCE(MAX(SUBSTR(latest_checkpoint, 1, 10)), '0')::numeric FROM _ponder_checkpoint)`
