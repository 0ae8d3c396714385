import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The release of this code, as package.json has it. */
export function ownRelease(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')).version
}
