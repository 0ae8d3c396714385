import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const paths = ['deployment', 'environment', 'models', 'figures-of', 'generate-adapters']
/** Paths, or names on the hub, or URLs of servers. */
const mayBePaths = ['model', 'bases', 'proposer', 'judge', 'dataset']

/**
 * A setting as it is saved. Paths become absolute, since the next start may run from another folder. A value that could be a repository's
 * name is a path if such a file or folder exists.
 */
export function fromAnywhere(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(one => fromAnywhere(name, one))
  const isPath = paths.includes(name) || (mayBePaths.includes(name) && existsSync(String(value)))
  return isPath ? resolve(String(value)) : value
}
