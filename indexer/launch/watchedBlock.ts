import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnownBlock } from './chain.ts'

/**
 * The final block that was last compared with the chain, kept in the index's folder. The next start compares it too: the newest event may be older than a
 * reorganisation, and where blocks have fixed times the final block of another branch has the same time.
 *
 * @param schema - the index that it belongs to.
 */
export function watchedBlock(folder: string, schema: string) {
  const path = join(folder, 'watched-block')
  return {
    /** Null if there is none of this index, or only a part of one. */
    read(): KnownBlock | null {
      try {
        const [of, number, hash, end] = readFileSync(path, 'utf8').split(/[ \n]/)
        return of === schema && end === '' ? { number: BigInt(number ?? ''), hash: hash as `0x${string}` } : null
      } catch {
        return null
      }
    },
    keep({ number, hash }: KnownBlock): void {
      writeFileSync(path, `${schema} ${number} ${hash}\n`)
    },
    forget(): void {
      rmSync(path, { force: true })
    },
  }
}
