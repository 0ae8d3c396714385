import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ACCOUNT_KEY_FILE, PEER_KEY_FILE, SWARM_PEM_FILE } from './folderNames.ts'

/** Names of the keys in a peer's folder. */
export function keysIn(folder: string): string[] {
  return [PEER_KEY_FILE, SWARM_PEM_FILE, ACCOUNT_KEY_FILE].filter(name => modeOf(join(folder, name)) !== undefined)
}

/** Paths of the keys that other users of the machine can read or write. */
export function exposedKeys(folder: string): string[] {
  return keysIn(folder)
    .map(name => join(folder, name))
    .filter(path => ((modeOf(path) ?? 0) & 0o077) !== 0)
}

const modeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mode
