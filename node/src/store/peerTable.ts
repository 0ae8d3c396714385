import type { DatabaseSync } from 'node:sqlite'
import { atomically } from './atomically.ts'

/** The stored part of a peer. */
type PeerRow = { peerId: string; addresses: string[]; isRegistered: boolean; heardAtMs: number }

type PeerTable = {
  /** Unchecked rows from the disk: readers must validate them. */
  load(): unknown[]
  /** Writes all changes or none. */
  write(changes: { put: readonly PeerRow[]; gone: readonly string[] }): void
}

/** The book of peers in the node's database. */
export function createPeerTable(db: DatabaseSync): PeerTable {
  const all = db.prepare('SELECT * FROM peers ORDER BY heard_at_ms DESC')
  const put = db.prepare('INSERT OR REPLACE INTO peers VALUES (?, ?, ?, ?)')
  const remove = db.prepare('DELETE FROM peers WHERE peer_id = ?')
  return {
    load: () =>
      all.all().map(row => ({
        peerId: row.peer_id,
        addresses: String(row.addresses).split(' '),
        isRegistered: row.registered === 1,
        heardAtMs: row.heard_at_ms,
      })),
    write(changes) {
      atomically(db, () => {
        for (const peerId of changes.gone) remove.run(peerId)
        for (const { peerId, addresses, isRegistered, heardAtMs } of changes.put)
          put.run(peerId, addresses.join(' '), isRegistered ? 1 : 0, heardAtMs)
      })
    },
  }
}
