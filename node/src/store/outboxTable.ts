import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Hex } from '#core/hex.ts'
import {
  type OutboxAttempt,
  type OutboxEntry,
  type OutboxStatus,
  type OutboxStore,
  ROUND_PASSED,
} from '#core/outboxStore.ts'
import { atomically } from './atomically.ts'

type Row = Record<string, SQLOutputValue>

/** Every statement that the outbox runs, prepared once. */
const prepareStatements = (db: DatabaseSync) => ({
  insert: db.prepare(
    `INSERT INTO outbox (key, to_address, data, value_wei, from_round, through_round, status)
     VALUES (?, ?, ?, ?, ?, ?, 'queued') ON CONFLICT (key) DO NOTHING`,
  ),
  byKey: db.prepare('SELECT * FROM outbox WHERE key = ?'),
  byId: db.prepare('SELECT * FROM outbox WHERE id = ?'),
  live: db.prepare("SELECT * FROM outbox WHERE status IN ('queued', 'signed', 'mined') ORDER BY id"),
  attemptsOf: db.prepare('SELECT * FROM outbox_attempts WHERE entry = ? ORDER BY rowid'),
  attemptAt: db.prepare('SELECT 1 FROM outbox_attempts WHERE nonce = ?'),
  addAttempt: db.prepare('INSERT OR REPLACE INTO outbox_attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
  setStatus: db.prepare('UPDATE outbox SET status = ?, detail = ?, mined_hash = NULL, mined_block = NULL WHERE id = ?'),
  finish: db.prepare('UPDATE outbox SET status = ?, detail = ? WHERE id = ?'),
  reopenUnmined: db.prepare(
    `UPDATE outbox SET detail = NULL,
     status = CASE WHEN EXISTS (SELECT 1 FROM outbox_attempts WHERE entry = outbox.id) THEN 'signed' ELSE 'queued' END
     WHERE id = ? AND status IN ('dropped', 'reverted') AND mined_hash IS NULL`,
  ),
  markMined: db.prepare("UPDATE outbox SET status = 'mined', mined_hash = ?, mined_block = ?, detail = ? WHERE id = ?"),
  expire: db.prepare(
    `UPDATE outbox SET status = 'dropped', detail = '${ROUND_PASSED}'
     WHERE status IN ('queued', 'signed') AND through_round < ? RETURNING id`,
  ),
  mined: db.prepare(
    `SELECT DISTINCT outbox.* FROM outbox JOIN outbox_attempts ON hash = mined_hash
     WHERE nonce >= ? ORDER BY outbox.id`,
  ),
  lastMined: db.prepare('SELECT max(mined_block) AS block FROM outbox'),
  prune: db.prepare(
    `DELETE FROM outbox WHERE status IN ('confirmed', 'reverted', 'dropped') AND id NOT IN
     (SELECT id FROM outbox WHERE status IN ('confirmed', 'reverted', 'dropped') ORDER BY id DESC LIMIT ?)`,
  ),
  getChain: db.prepare("SELECT value FROM state WHERE key = 'outbox.chain'"),
  setChain: db.prepare("INSERT INTO state VALUES ('outbox.chain', ?) ON CONFLICT DO UPDATE SET value = excluded.value"),
})

/** The outbox's entries in the node's database. */
export function createOutboxTable(db: DatabaseSync): OutboxStore {
  const statements = prepareStatements(db)
  const entryOf = (row: Row) => readEntry(row, statements.attemptsOf.all(Number(row.id)))
  const entriesOf = (rows: Row[]) => rows.map(entryOf)
  return {
    insert({ key, to, data, valueWei = 0n, fromRound, throughRound }) {
      statements.insert.run(key, to, data, `${valueWei}`, fromRound, throughRound)
      return entryOf(statements.byKey.get(key) as Row)
    },
    get: key => {
      const row = statements.byKey.get(key)
      return row === undefined ? undefined : entryOf(row)
    },
    live: () => entriesOf(statements.live.all()),
    addAttempt: (id, attempt) =>
      atomically(db, () => {
        const { hash, raw, nonce, gas, maxFeePerGasWei, maxPriorityFeePerGasWei, signedAtMs } = attempt
        statements.addAttempt.run(
          hash,
          id,
          raw,
          nonce,
          `${gas}`,
          `${maxFeePerGasWei}`,
          `${maxPriorityFeePerGasWei}`,
          signedAtMs,
        )
        statements.setStatus.run('signed', null, id)
      }),
    markMined: (id, { hash, block, revertedWith }) => void statements.markMined.run(hash, block, revertedWith, id),
    setStatus(id, status, detail) {
      // A finished entry keeps its block: a deep reorganisation may still revert it.
      const keepsBlock = status === 'confirmed' || status === 'reverted'
      if (keepsBlock) statements.finish.run(status, detail, id)
      else statements.setStatus.run(status, detail, id)
    },
    reopenUnmined: id => void statements.reopenUnmined.run(id),
    dropExpired: round =>
      atomically(db, () =>
        statements.expire.all(round).map(row => entryOf(statements.byId.get(Number(row.id)) as Row)),
      ).sort((a, b) => a.id - b.id),
    minedFromNonce: nonce => entriesOf(statements.mined.all(nonce)),
    lastMinedBlock: () => (statements.lastMined.get()?.block as number | null | undefined) ?? null,
    isSigned: nonce => statements.attemptAt.get(nonce) !== undefined,
    adopt: chain =>
      atomically(db, () => {
        const known = statements.getChain.get()?.value
        if (known === chain) return 0
        const open = known === undefined ? 0 : statements.live.all().length
        if (known !== undefined) db.exec('DELETE FROM outbox')
        statements.setChain.run(chain)
        return open
      }),
    adopted: () => (statements.getChain.get()?.value as string | undefined) ?? null,
    prune: keep => void statements.prune.run(keep),
  }
}

function readEntry(row: Row, attempts: readonly Row[]): OutboxEntry {
  return {
    id: Number(row.id),
    key: String(row.key),
    to: row.to_address as Hex,
    data: row.data as Hex,
    ...(row.value_wei === '0' ? {} : { valueWei: BigInt(String(row.value_wei)) }),
    fromRound: row.from_round as number | null,
    throughRound: row.through_round as number | null,
    status: row.status as OutboxStatus,
    attempts: attempts.map(attemptOf),
    minedHash: row.mined_hash as Hex | null,
    minedBlock: row.mined_block as number | null,
    detail: row.detail as string | null,
  }
}

function attemptOf(row: Row): OutboxAttempt {
  return {
    hash: row.hash as Hex,
    raw: row.raw as Hex,
    nonce: Number(row.nonce),
    gas: BigInt(String(row.gas)),
    maxFeePerGasWei: BigInt(String(row.max_fee)),
    maxPriorityFeePerGasWei: BigInt(String(row.max_priority_fee)),
    signedAtMs: Number(row.signed_at_ms),
  }
}
