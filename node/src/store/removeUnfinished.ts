import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A small file is written within milliseconds. */
const MIN_AGE_MS = 60_000

/** `NAME.PID.partial` of keys, `NAME.PID.UUID.tmp` of other small files. */
const unfinished = /\.(\d+)\.(partial|[0-9a-f-]{36}\.tmp)$/

/**
 * Removes files of a folder that a killed process had begun to write. Those of a live process stay, and so do new ones: it may be in another
 * container, where its id means nothing.
 *
 * @returns their names.
 */
export function removeUnfinished(folder: string, nowMs = Date.now()): string[] {
  const removed: string[] = []
  for (const name of readdirSync(folder)) {
    const pid = Number(unfinished.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found?.isFile() || nowMs - found.mtimeMs < MIN_AGE_MS) continue
    rmSync(path, { force: true })
    removed.push(name)
  }
  return removed
}

/** Whether another process has this id. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
