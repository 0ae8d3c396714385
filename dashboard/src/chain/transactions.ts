import { type Address, type Hex, isAddress, isHash } from 'viem'

/** Stored transactions: more than a visitor reads. */
const KEPT = 20

const states = ['waiting', 'mined', 'reverted', 'replaced'] as const

/** A transaction that was sent from this browser. */
export interface Transaction {
  hash: Hex
  /** For people: `Bet 1 Nectar on primes in game 3`. */
  what: string
  /** That sent it; older releases did not store it. */
  account?: Address | undefined
  state: (typeof states)[number]
}

/** Outcome of a transaction. A replacement, such as a cancellation, does not count as success. */
export type Outcome = Exclude<Transaction['state'], 'waiting'>

/** The list with one added, newest first. */
export function withTransaction(list: readonly Transaction[], sent: Transaction): Transaction[] {
  return [sent, ...list.filter(({ hash }) => hash !== sent.hash)].slice(0, KEPT)
}

/** The list after a transaction has ended. A transaction that was dropped from it is not added again. */
export function withOutcome(list: readonly Transaction[], hash: Hex, state: Outcome): Transaction[] {
  return list.map(one => (one.hash === hash ? { ...one, state } : one))
}

/**
 * Hashes of an account's transactions of a name that wait for their block. One of an unknown account may be its own. Bets and approvals of older
 * releases have other names, without game or peer: they are not recognised.
 */
export function waitingOf(list: readonly Transaction[], { what, account }: Omit<Transaction, 'hash' | 'state'>): Hex[] {
  return list
    .filter(sent => sent.state === 'waiting' && sent.what === what && (sent.account ?? account) === account)
    .map(({ hash }) => hash)
}

/** The browser's stored list, which may have been edited: invalid rows are dropped. */
export function parseTransactions(text: string | null): Transaction[] {
  let rows: unknown
  try {
    rows = JSON.parse(text ?? '[]')
  } catch {
    return []
  }
  return Array.isArray(rows) ? rows.filter(isTransaction).slice(0, KEPT) : []
}

function isTransaction(row: unknown): row is Transaction {
  const { hash, what, account, state } = (row ?? {}) as Partial<Record<keyof Transaction, unknown>>
  const isNamed =
    typeof what === 'string' && (account === undefined || (typeof account === 'string' && isAddress(account)))
  return typeof hash === 'string' && isHash(hash) && isNamed && states.some(known => known === state)
}
