import { PGlite } from '@electric-sql/pglite'
import { expect, test } from 'vitest'
import { vacuumWhenReady } from '../src/api/vacuumWhenReady.ts'

test('PGlite knows how rows are distributed once the index is ready, and not before', async () => {
  const client = await PGlite.create()
  await client.exec(`
    CREATE TABLE _ponder_meta (key TEXT, value JSONB);
    INSERT INTO _ponder_meta VALUES ('app', '{"is_ready": 0}');
    CREATE TABLE vote AS SELECT generate_series(1, 500) AS id;`)
  const rowsKnown = async () =>
    (await client.query<{ rows: number }>("SELECT reltuples AS rows FROM pg_class WHERE relname = 'vote'")).rows[0]
      ?.rows
  const done = vacuumWhenReady(statement => client.query(statement), 1)
  await client.query('SELECT 1')
  expect(await rowsKnown()).toBe(-1)
  await client.exec(`UPDATE _ponder_meta SET value = '{"is_ready": 1}'`)
  await done
  expect(await rowsKnown()).toBe(500)
  await client.close()
})
