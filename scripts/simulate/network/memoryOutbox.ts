import type { OutboxEntry, OutboxStatus, OutboxStore } from '../../../node/src/core/outboxStore.ts'

const LIVE: ReadonlySet<OutboxStatus> = new Set(['queued', 'signed', 'mined'])

/** The outbox's entries as its table in SQLite keeps them, for thousands of peers in one process. */
export function memoryOutbox(): OutboxStore {
  const entries = new Map<number, OutboxEntry>()
  const byKey = new Map<string, OutboxEntry>()
  let lastId = 0
  let chainOf: string | null = null
  const all = () => [...entries.values()]
  const change = (id: number, changes: Partial<OutboxEntry>) =>
    void Object.assign(entries.get(id) as OutboxEntry, changes)
  const copy = (entry: OutboxEntry): OutboxEntry => ({ ...entry, attempts: [...entry.attempts] })
  const remove = ({ id, key }: OutboxEntry) => void (entries.delete(id) && byKey.delete(key))
  return {
    insert(intent) {
      const known = byKey.get(intent.key)
      if (known !== undefined) return copy(known)
      const state = { status: 'queued', attempts: [], minedHash: null, minedBlock: null, detail: null } as const
      const entry: OutboxEntry = { ...intent, id: ++lastId, ...state, attempts: [] }
      entries.set(entry.id, entry)
      byKey.set(entry.key, entry)
      return copy(entry)
    },
    get(key) {
      const known = byKey.get(key)
      return known && copy(known)
    },
    live: () => all().flatMap(entry => (LIVE.has(entry.status) ? [copy(entry)] : [])),
    addAttempt(id, attempt) {
      entries.get(id)?.attempts.push(attempt)
      change(id, { status: 'signed', detail: null, minedHash: null, minedBlock: null })
    },
    markMined: (id, { hash, block, revertedWith }) =>
      change(id, { status: 'mined', minedHash: hash, minedBlock: block, detail: revertedWith }),
    setStatus: (id, status, detail) =>
      change(id, {
        ...{ status, detail },
        ...(status === 'confirmed' || status === 'reverted' ? {} : { minedHash: null, minedBlock: null }),
      }),
    reopenUnmined(id) {
      const { status, minedHash, attempts } = entries.get(id) as OutboxEntry
      if ((status !== 'dropped' && status !== 'reverted') || minedHash !== null) return
      change(id, { status: attempts.length > 0 ? 'signed' : 'queued', detail: null })
    },
    dropExpired(round) {
      const isExpired = ({ status, throughRound }: OutboxEntry) =>
        (status === 'queued' || status === 'signed') && throughRound !== null && throughRound < round
      const expired = all().filter(isExpired)
      for (const { id } of expired)
        change(id, { status: 'dropped', detail: 'round passed', minedHash: null, minedBlock: null })
      return expired.map(copy)
    },
    minedFromNonce: nonce =>
      all().flatMap(entry =>
        entry.attempts.some(one => one.hash === entry.minedHash && one.nonce >= nonce) ? [copy(entry)] : [],
      ),
    lastMinedBlock: () => newestBlockOf(all()),
    isSigned: nonce => all().some(entry => entry.attempts.some(attempt => attempt.nonce === nonce)),
    adopt(chain) {
      const open = chainOf === null || chainOf === chain ? 0 : all().filter(({ status }) => LIVE.has(status)).length
      if (chainOf !== null && chainOf !== chain) for (const entry of all()) remove(entry)
      chainOf = chain
      return open
    },
    adopted: () => chainOf,
    prune(keep) {
      const finished = all().filter(({ status }) => !LIVE.has(status))
      for (const entry of finished.slice(0, Math.max(0, finished.length - keep))) remove(entry)
    },
  }
}

function newestBlockOf(entries: readonly OutboxEntry[]): number | null {
  const blocks = entries.flatMap(({ minedBlock }) => minedBlock ?? [])
  return blocks.length === 0 ? null : Math.max(...blocks)
}
