import type { Hex } from './hex.ts'

/**
 * States of a transaction: queued (wanted, no nonce yet) → signed (raw bytes stored, perhaps broadcast) → mined → confirmed or reverted.
 * A reorganisation leads from mined, confirmed or reverted back to signed. `reverted` without `minedHash`: simulations refused it. `dropped`: its time
 * passed before it was mined, its nonce is used and it is unknown by what, or its nonce is far ahead.
 */
const outboxStatuses = ['queued', 'signed', 'mined', 'confirmed', 'reverted', 'dropped'] as const
export type OutboxStatus = (typeof outboxStatuses)[number]

/** Why an entry was dropped that no block included in its rounds. */
export const ROUND_PASSED = 'round passed'

/** A call that must be made once, however often the node crashes. */
export type OutboxIntent = {
  /** Unique: repeated requests with one key are one request. */
  key: string
  to: Hex
  data: Hex
  /** Value in the chain's coin; none if undefined. */
  valueWei?: bigint
  /** First and last round in which the chain accepts the call; null: always. */
  fromRound: number | null
  throughRound: number | null
}

/** One signed transaction. Those of one entry share a nonce unless another transaction took it, so one at most is mined. */
export type OutboxAttempt = {
  hash: Hex
  raw: Hex
  nonce: number
  gas: bigint
  maxFeePerGasWei: bigint
  maxPriorityFeePerGasWei: bigint
  signedAtMs: number
}

export type OutboxEntry = OutboxIntent & {
  id: number
  status: OutboxStatus
  /** Oldest first. */
  attempts: OutboxAttempt[]
  minedHash: Hex | null
  minedBlock: number | null
  /** Name of the contract's error, or the reason why the entry was dropped. */
  detail: string | null
}

/** The outbox's store. Every method is atomic and durable when it returns. */
export type OutboxStore = {
  /** The entry of that key: the existing one, or a new one. */
  insert(intent: OutboxIntent): OutboxEntry
  get(key: string): OutboxEntry | undefined
  /** Those still to be followed (queued, signed, mined), oldest first. */
  live(): OutboxEntry[]
  /** Records a signed transaction before it is broadcast, as the newest attempt, also if it was one before; the entry is then `signed`. */
  addAttempt(id: number, attempt: OutboxAttempt): void
  markMined(id: number, mined: { hash: Hex; block: number; revertedWith: string | null }): void
  setStatus(id: number, status: OutboxStatus, detail: string | null): void
  /**
   * Opens an entry again that was dropped, or that simulations refused: the contract may have refused for then only. Any other entry stays as it is,
   * so that a call in a block is never sent twice. One with an attempt may be mined by now: its status is then `signed`, so that its nonce is checked first.
   */
  reopenUnmined(id: number): void
  /** Drops all queued and signed entries whose last round is before `round`, in one step. Returns what was dropped. */
  dropExpired(round: number): OutboxEntry[]
  /** Mined entries whose nonce is unused again: a reorganisation removed them. */
  minedFromNonce(nonce: number): OutboxEntry[]
  /** Newest block with a transaction of an entry; null without one. */
  lastMinedBlock(): number | null
  /** Whether any entry has an attempt with this nonce. */
  isSigned(nonce: number): boolean
  /**
   * Sets the chain of the entries. Entries of another chain are deleted: they are useless here, and their signed bytes must not reach it.
   * Returns how many of those were open.
   */
  adopt(chain: string): number
  /** The chain that the entries are for; null in a new store. */
  adopted(): string | null
  /** Deletes finished entries except for the newest `keep`. */
  prune(keep: number): void
}
