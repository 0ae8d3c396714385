import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { shellWord } from '#core/shellWord.ts'
import { PEER_KEY_FILE, SWARM_PEM_FILE } from '#store/folderNames.ts'
import { UsageError } from './usageError.ts'

/**
 * Ensures that the folder has a peer: a command that only reads must not create keys in a mistyped folder.
 *
 * @throws {UsageError} if the folder holds no peer's key.
 */
export function requirePeer(folder: string, hint: string): void {
  if (hasPeer(folder)) return
  const [first] = localPeers(folder)
  const example = first === undefined ? '' : ` The peers of the local swarm have theirs: --data ${shellWord(first)}.`
  throw new UsageError(`There is no peer in ${folder}.`, { hint: `${hint}${example}` })
}

/** Whether a folder holds a peer's key. */
export function hasPeer(folder: string): boolean {
  return [PEER_KEY_FILE, SWARM_PEM_FILE].some(name => existsSync(join(folder, name)))
}

/** Folders of the peers that `npm run swarm` keeps next to this one, solvers first, as they would be typed. */
function localPeers(folder: string): string[] {
  const peers = join(dirname(folder), 'peers')
  const names = existsSync(peers) ? readdirSync(peers).sort() : []
  const solversFirst = [...names.filter(name => name.startsWith('solver')), ...names]
  return solversFirst
    .map(name => join(peers, name))
    .filter(hasPeer)
    .map(path => relative(process.cwd(), path))
}
