import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/** Rows of every table of an index, each as text, sorted. */
type WholeIndex = Map<string, string[]>

/** Reads a closed index, without Ponder's own tables and its records for reorganisations. */
export async function readWholeIndex(folder: string): Promise<WholeIndex> {
  const db = await PGlite.create(join(folder, 'pglite'))
  try {
    const { rows: tables } = await db.query<{ schema: string; name: string }>(
      `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
       WHERE table_schema LIKE 'waggle\\_%' AND table_type = 'BASE TABLE'
       AND table_name NOT LIKE '\\_ponder%' AND table_name NOT LIKE '\\_reorg%'`,
    )
    const index: WholeIndex = new Map()
    for (const { schema, name } of tables) {
      const { rows } = await db.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM "${schema}"."${name}" t`)
      index.set(name, rows.map(({ row }) => row).sort())
    }
    return index
  } finally {
    await db.close()
  }
}

/** Differences between two indexes: one line for each table, with the first row that only one of them has. */
export function indexDifferences(one: WholeIndex, other: WholeIndex): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort().flatMap(name => {
    const [ours, theirs] = [one.get(name) ?? [], other.get(name) ?? []]
    const onlyOurs = ours.find(row => !theirs.includes(row))
    const onlyTheirs = theirs.find(row => !ours.includes(row))
    if (onlyOurs === undefined && onlyTheirs === undefined && ours.length === theirs.length) return []
    return [`${name}: ${ours.length} and ${theirs.length} rows; ${onlyOurs ?? 'none'} against ${onlyTheirs ?? 'none'}`]
  })
}
