import type { KnownBlock } from './chain.ts'

/** A database with an index, PGlite or Postgres. */
export type Query = (statement: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>

/** State from which an index of an earlier run resumes: all blocks after the final one are read again. */
export interface HeldIndex {
  /** The last block that was final when it was written. */
  final: { number: bigint; timestampSec: number }
  /** Up to there the last block of which it holds an event. */
  newest: KnownBlock | null
}

/**
 * Reads how far an index goes.
 *
 * @param schema - of the database; it exists.
 * @returns null for one that has read nothing.
 */
export async function readHeld(query: Query, schema: string): Promise<HeldIndex | null> {
  const { rows: checkpoints } = await query(
    `SELECT finalized_checkpoint AS final, safe_checkpoint AS safe FROM "${schema}"._ponder_checkpoint`,
  )
  const { final, safe } = (checkpoints[0] ?? {}) as { final?: string; safe?: string }
  if (final === undefined || safe === undefined) return null
  const { rows } = await query(
    `SELECT block_number AS number, block_hash AS hash FROM "${schema}".feed_item WHERE id <= $1 ORDER BY id DESC LIMIT 1`,
    [final],
  )
  const newest = rows[0] as { number: number; hash: `0x${string}` } | undefined
  return {
    final: decodeBlock(final),
    newest: newest === undefined ? null : { number: BigInt(newest.number), hash: newest.hash },
  }
}

/**
 * Takes the tip back to the blocks that the index still has: Ponder takes back all rows that were not final, yet leaves the tip that it had. `/status` and
 * `/live` would claim it, and scores would count as final by its time.
 */
export async function takeBackTip(query: Query, schema: string): Promise<void> {
  await query(`UPDATE "${schema}"._ponder_checkpoint SET latest_checkpoint = safe_checkpoint`)
}

/** Ponder's checkpoint: 10 digits of Unix seconds, 16 of the chain's id, 16 of the block's number, then the event. */
function decodeBlock(checkpoint: string): HeldIndex['final'] {
  return { timestampSec: Number(checkpoint.slice(0, 10)), number: BigInt(checkpoint.slice(26, 42)) }
}
