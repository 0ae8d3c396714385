import { PGlite } from '@electric-sql/pglite'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Chain } from './chain.ts'
import { preparePostgres } from './preparePostgres.ts'

const { database } = vi.hoisted(() => ({ database: { current: null as PGlite | null } }))

// The statements are Postgres's, which PGlite is.
vi.mock('pg', () => ({
  default: {
    Client: class {
      async connect() {}
      async end() {}
      query = (statement: string, values?: unknown[]) => database.current?.query(statement, values)
    },
  },
}))

const chain = {} as Chain
/** 100 s after the epoch, chain 1. */
const checkpoint = (block: number) =>
  `${'100'.padStart(10, '0')}${'1'.padStart(16, '0')}${String(block).padStart(16, '0')}`

test('a restart has the tip of the blocks that are left, not of those that are taken back', async () => {
  const db = await PGlite.create()
  onTestFinished(() => db.close())
  database.current = db
  expect(await preparePostgres('postgres://', 'waggle_a', chain)).toEqual({ kind: 'none' })
  await db.exec(`CREATE SCHEMA waggle_a; CREATE TABLE waggle_a.feed_item (id text, block_number integer, block_hash text);
    CREATE TABLE waggle_a._ponder_checkpoint (finalized_checkpoint text, safe_checkpoint text, latest_checkpoint text)`)
  const insert = 'INSERT INTO waggle_a._ponder_checkpoint VALUES ($1, $2, $3)'
  await db.query(insert, [checkpoint(40), checkpoint(41), checkpoint(105)])
  const prepared = await preparePostgres('postgres://', 'waggle_a', chain)
  expect(prepared).toMatchObject({ kind: 'kept', held: { final: { number: 40n, timestampSec: 100 }, newest: null } })
  const { rows } = await db.query('SELECT latest_checkpoint AS tip FROM waggle_a._ponder_checkpoint')
  expect(rows).toEqual([{ tip: checkpoint(41) }])
})
