import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const paths = ['deployment', 'environment', 'models', 'figures-of']
/** Paths, or names on the hub, or URLs of servers. */
const mayBePaths = ['model', 'proposer', 'judge', 'dataset']

/**
 * A setting as it is kept: the next start may be called from another folder, so that a path becomes absolute. What may be the name of a
 * repository is a path where there is such a file or folder.
 */
export function fromAnywhere(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(one => fromAnywhere(name, one))
  const isPath = paths.includes(name) || (mayBePaths.includes(name) && existsSync(String(value)))
  return isPath ? resolve(String(value)) : value
}
