import { statfs } from 'node:fs/promises'
import { NodeError } from '#base/errors.ts'

/** No space for a write: the disk, a quota of the system, or SQLite. Nothing was partially written. */
export class DiskFullError extends NodeError {
  override readonly code = 'DISK_FULL'

  constructor(path: string, cause?: unknown) {
    super(`There is no space left for ${path}.`, {
      hint: 'Free some space there: a running peer continues automatically.',
      retryable: true,
      cause,
    })
  }
}

/** Left free by large writes, so that journal and outbox, which are small, can still be written. */
export const RESERVED_BYTES = 64 * 2 ** 20

export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Translates an error into a {@link DiskFullError} if it or one of its causes means that; returns any other error unchanged. */
export function asDiskFull(error: unknown, path: string): unknown {
  return !(error instanceof DiskFullError) && isDiskFull(error) ? new DiskFullError(path, error) : error
}

/** Whether an error or one of its causes means a disk that the system has made read-only, as it does after a fault. */
export function isReadOnlyDisk(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { code, message } = at as { code?: unknown; message?: unknown }
    if (code === 'EROFS' || (typeof message === 'string' && message.startsWith('EROFS:'))) return true
  }
  return false
}

/** Whether SQLite could not use its files: SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN. A disk may fail at a flush first, before it is read-only. */
export function isDatabaseFault(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { errcode } = at as { errcode?: unknown }
    if (typeof errcode === 'number' && [8, 10, 14].includes(errcode & 0xff)) return true
  }
  return false
}

/** Whether an error means a full disk, also if it came from another thread, which keeps only its message. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { code, errcode, message } = at as { code?: unknown; errcode?: unknown; message?: unknown }
    if (code === 'DISK_FULL' || code === 'ENOSPC' || code === 'EDQUOT') return true
    if (typeof message === 'string' && /^(ENOSPC|EDQUOT):/.test(message)) return true
    if (typeof errcode === 'number' && sqliteCodes.includes(errcode)) return true
  }
  return false
}

/**
 * SQLITE_FULL, SQLITE_IOERR_WRITE (a user's quota) and SQLITE_IOERR_SHMSIZE. A disk that fails otherwise says so to the next
 * write outside of the database.
 */
const sqliteCodes: readonly number[] = [13, 778, 4874]
