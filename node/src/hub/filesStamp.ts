import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'

/** A file and its name for a reader, such as its path in a folder. */
export type NamedFile = { readonly path: string; readonly name: string }

/**
 * Stamp of files, from names, sizes and times of their last change: it differs if one of them is written, added, removed or renamed. A file that
 * is not there counts as such.
 *
 * @returns 16 hex digits.
 */
export async function filesStamp(files: readonly NamedFile[]): Promise<string> {
  const found = await Promise.all(files.map(({ path }) => stat(path).catch(() => null)))
  const lines = files.map(({ name }, at) => [name, found[at]?.size ?? null, found[at]?.mtimeMs ?? null])
  return createHash('sha256').update(JSON.stringify(lines)).digest('hex').slice(0, 16)
}
