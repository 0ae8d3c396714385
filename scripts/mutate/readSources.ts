import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Contracts and libraries, without interfaces, by path from the root.
 *
 * @param isWanted - of a contract's name.
 */
export function readSources(root: string, isWanted: (name: string) => boolean): Map<string, string> {
  const folder = join(root, 'contracts', 'src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.sol') && !name.startsWith('interfaces') && isWanted(basename(name, '.sol')))
    .sort()
  return new Map(files.map(name => [join('contracts', 'src', name), readFileSync(join(folder, name), 'utf8')]))
}
