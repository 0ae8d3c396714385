import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PEER_KEY_FILE, SWARM_PEM_FILE } from '#store/identity.ts'
import { UsageError } from './usageError.ts'

/**
 * A command that only reads must not create keys in a mistyped folder.
 *
 * @throws {UsageError} if the folder holds no peer's key.
 */
export function requirePeer(folder: string, hint: string): void {
  if ([PEER_KEY_FILE, SWARM_PEM_FILE].some(name => existsSync(join(folder, name)))) return
  throw new UsageError(`There is no peer in ${folder}.`, { hint })
}
