import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { NodeError } from '#base/errors.ts'
import { sayReachability } from '#p2p/connections/reachability.ts'
import { ownRelease } from '#roles/release.ts'
import { readConnections } from '#roles/reports/readConnections.ts'
import { SAID_FOR_MS } from '#roles/reports/reportConnections.ts'
import { formatOf } from '#store/folderFormat.ts'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

/** This release, and the folder format that it reads. */
export function checkRelease(data: string): Finding {
  const format = formatOf(data)
  return ok('release', `${ownRelease()}, ${format === null ? 'no folder of a peer yet' : `folder of format ${format}`}`)
}

/** The peer's reachability from other networks, as it last recorded. */
export function checkReachability(data: string, nowMs: number, isLocalChain: boolean): Finding {
  const unknown = ok('reachable', 'not known: it is found out while the peer runs')
  const journal = join(data, JOURNAL_FILE)
  if (!existsSync(journal)) return unknown
  try {
    const noted = readConnections(journal)
    if (!noted?.reachability || nowMs - noted.atMs > SAID_FOR_MS) return unknown
    const { found, advice } = sayReachability(noted.reachability, isLocalChain)
    return advice === null ? ok('reachable', found) : warning('reachable', found, advice)
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return failure('reachable', error.message, error.hint)
  }
}
