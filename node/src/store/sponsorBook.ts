import type { DatabaseSync } from 'node:sqlite'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'

/** A peer that a sponsor registered. */
export type SponsoredPeer = {
  peerKey: PeerKey
  account: AccountAddress
  sinceMs: number
  /** The last round in which its work was on the chain; null before the first. */
  workedRound: number | null
}

/**
 * A sponsor's payment for a peer.
 *
 * @property kind - its registration, gas for its account, or gas for an account whose peer stopped working.
 */
export type SponsorPayment = {
  id: number
  peerKey: PeerKey
  kind: 'registration' | 'gas' | 'gas to go on'
  wei: bigint
  atMs: number
}

/** Sponsored peers and payments. Every method is durable when it returns. */
export type SponsorBook = {
  peers(): SponsoredPeer[]
  peer(peerKey: PeerKey): SponsoredPeer | undefined
  peerOf(account: AccountAddress): SponsoredPeer | undefined
  add(peer: Omit<SponsoredPeer, 'workedRound'>): void
  remove(peerKey: PeerKey): void
  worked(peerKey: PeerKey, round: number): void
  /** Records a payment before it is sent. @returns its permanent number. */
  pay(payment: Omit<SponsorPayment, 'id'>): number
  /** Takes a payment back that did not arrive. Its number is not used again: a transfer with that number would count as sent. */
  fail(id: number): void
  /** Payments of a peer, or of all peers, without those that failed. */
  payments(sinceMs: number, peerKey?: PeerKey): SponsorPayment[]
  /** The newest payment for gas; undefined if there is none, or if it failed. */
  lastGas(): SponsorPayment | undefined
}

const tables = `
  CREATE TABLE IF NOT EXISTS sponsored (
    peer_key TEXT PRIMARY KEY, account TEXT NOT NULL UNIQUE, since_ms INTEGER NOT NULL, worked_round INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sponsor_payments (
    id INTEGER PRIMARY KEY, peer_key TEXT NOT NULL, kind TEXT NOT NULL, wei TEXT NOT NULL, at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS sponsor_payments_at ON sponsor_payments (at_ms);
  CREATE INDEX IF NOT EXISTS sponsor_payments_peer ON sponsor_payments (peer_key, at_ms);
`

/**
 * The book in a database of `openDatabase`. Addresses and keys are in lower case.
 *
 * @param nowMs - payments of a later time, made while the clock was ahead, count as of now: else the budget stays spent until that time comes.
 */
export function createSponsorBook(db: DatabaseSync, nowMs: number): SponsorBook {
  db.exec(tables)
  db.prepare('UPDATE sponsor_payments SET at_ms = ? WHERE at_ms > ?').run(nowMs, nowMs)
  db.prepare('UPDATE sponsored SET since_ms = ? WHERE since_ms > ?').run(nowMs, nowMs)
  const all = db.prepare('SELECT * FROM sponsored ORDER BY since_ms')
  const byKey = db.prepare('SELECT * FROM sponsored WHERE peer_key = ?')
  const byAccount = db.prepare('SELECT * FROM sponsored WHERE account = ?')
  const add = db.prepare('INSERT INTO sponsored VALUES (?, ?, ?, NULL)')
  const remove = db.prepare('DELETE FROM sponsored WHERE peer_key = ?')
  const worked = db.prepare('UPDATE sponsored SET worked_round = ? WHERE peer_key = ?')
  const pay = db.prepare('INSERT INTO sponsor_payments (peer_key, kind, wei, at_ms) VALUES (?, ?, ?, ?)')
  const fail = db.prepare("UPDATE sponsor_payments SET kind = 'failed' WHERE id = ?")
  const paid = db.prepare("SELECT * FROM sponsor_payments WHERE at_ms >= ? AND kind <> 'failed'")
  const paidTo = db.prepare("SELECT * FROM sponsor_payments WHERE at_ms >= ? AND peer_key = ? AND kind <> 'failed'")
  const newest = db.prepare("SELECT * FROM sponsor_payments WHERE kind <> 'registration' ORDER BY id DESC LIMIT 1")
  return {
    peers: () => all.all().map(peerOf),
    peer: peerKey => maybe(byKey.get(peerKey.toLowerCase())),
    peerOf: account => maybe(byAccount.get(account.toLowerCase())),
    add: ({ peerKey, account, sinceMs }) => void add.run(peerKey.toLowerCase(), account.toLowerCase(), sinceMs),
    remove: peerKey => void remove.run(peerKey.toLowerCase()),
    worked: (peerKey, round) => void worked.run(round, peerKey.toLowerCase()),
    pay: ({ peerKey, kind, wei, atMs }) =>
      Number(pay.run(peerKey.toLowerCase(), kind, String(wei), atMs).lastInsertRowid),
    fail: id => void fail.run(id),
    lastGas() {
      const row = newest.get()
      return row === undefined || row.kind === 'failed' ? undefined : paymentOf(row)
    },
    payments: (sinceMs, peerKey) =>
      (peerKey === undefined ? paid.all(sinceMs) : paidTo.all(sinceMs, peerKey.toLowerCase())).map(paymentOf),
  }
}

type Row = Record<string, unknown>

const maybe = (row: Row | undefined) => (row === undefined ? undefined : peerOf(row))

const peerOf = (row: Row): SponsoredPeer => ({
  peerKey: row.peer_key as PeerKey,
  account: row.account as AccountAddress,
  sinceMs: Number(row.since_ms),
  workedRound: row.worked_round === null ? null : Number(row.worked_round),
})

const paymentOf = (row: Row): SponsorPayment => ({
  id: Number(row.id),
  peerKey: row.peer_key as PeerKey,
  kind: row.kind as SponsorPayment['kind'],
  wei: BigInt(row.wei as string),
  atMs: Number(row.at_ms),
})
