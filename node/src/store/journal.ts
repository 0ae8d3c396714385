import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#core/clock.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }
type JournalNote = { atMs: number; message: string; fields: JsonValue }

/** The state that a node needs to resume after a kill. Every write is on the disk when it returns. */
export type Journal = {
  /** One fact of one round, such as the content id of what was published; undefined if it was never set. */
  get(round: number, key: string): JsonValue | undefined
  set(round: number, key: string, value: JsonValue): void
  /** All facts of a round. */
  round(round: number): Record<string, JsonValue>
  /** The newest round that has a fact, or undefined. */
  latestRound(): number | undefined
  /** State independent of rounds, such as the controller's level. */
  getState(key: string): JsonValue | undefined
  setState(key: string, value: JsonValue): void
  /** A line for people, such as 'rounds 4 to 9 passed while this node was away'. */
  note(message: string, fields?: Record<string, JsonValue>): void
  /** The newest notes, in the order of time. */
  notes(limit: number): JournalNote[]
  /** Forgets the facts of rounds before this one, and all but the newest 10,000 notes. */
  prune(beforeRound: number): void
}

const NOTES_KEPT = 10_000

export function createJournal(db: DatabaseSync, clock: Clock): Journal {
  const getFact = db.prepare('SELECT value FROM facts WHERE round = ? AND key = ?')
  const setFact = db.prepare('INSERT INTO facts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  const roundFacts = db.prepare('SELECT key, value FROM facts WHERE round = ?')
  const latest = db.prepare('SELECT max(round) AS round FROM facts')
  const getState = db.prepare('SELECT value FROM state WHERE key = ?')
  const setState = db.prepare('INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  const addNote = db.prepare('INSERT INTO notes (at_ms, message, fields) VALUES (?, ?, ?)')
  const newestNotes = db.prepare('SELECT at_ms, message, fields FROM notes ORDER BY id DESC LIMIT ?')
  const pruneFacts = db.prepare('DELETE FROM facts WHERE round < ?')
  const pruneNotes = db.prepare('DELETE FROM notes WHERE id <= (SELECT max(id) FROM notes) - ?')
  return {
    get: (round, key) => parse(getFact.get(round, key)?.value),
    set: (round, key, value) => void setFact.run(round, key, JSON.stringify(value)),
    round: round => Object.fromEntries(roundFacts.all(round).map(row => [row.key, parse(row.value)])),
    latestRound: () => {
      const round = latest.get()?.round
      return typeof round === 'number' ? round : undefined
    },
    getState: key => parse(getState.get(key)?.value),
    setState: (key, value) => void setState.run(key, JSON.stringify(value)),
    note: (message, fields = {}) => void addNote.run(clock.nowMs(), message, JSON.stringify(fields)),
    notes: limit =>
      newestNotes
        .all(limit)
        .reverse()
        .map(row => ({
          atMs: Number(row.at_ms),
          message: String(row.message),
          fields: parse(row.fields) as JsonValue,
        })),
    prune: beforeRound => {
      pruneFacts.run(beforeRound)
      pruneNotes.run(NOTES_KEPT)
    },
  }
}

function parse(text: unknown): JsonValue | undefined {
  return typeof text === 'string' ? JSON.parse(text) : undefined
}
