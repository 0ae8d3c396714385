import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'

/** Free bytes of the machine or of the process's control group, including file caches that can be evicted. */
export function freeMemory(): number {
  if (process.platform === 'darwin') return readVmStat() ?? freemem()
  const isLimited = process.constrainedMemory() < totalmem()
  return Math.min(freemem(), process.availableMemory() + (isLimited ? cachedFiles() : 0))
}

/** On macOS `freemem` counts only pages that were never used; a busy machine has almost none. */
function readVmStat(): number | null {
  try {
    return freeOfVmStat(execFileSync('vm_stat', { encoding: 'utf8', timeout: 5_000 }))
  } catch {
    return null
  }
}

/** Bytes that macOS can give at once: free, inactive, speculative and purgeable pages. Null if `vm_stat` does not print them. */
export function freeOfVmStat(text: string): number | null {
  const pageBytes = Number(/page size of (\d+) bytes/.exec(text)?.[1] ?? 0)
  const pages = ['free', 'inactive', 'speculative', 'purgeable'].map(kind =>
    Number(new RegExp(`^Pages ${kind}:\\s+(\\d+)\\.$`, 'm').exec(text)?.[1] ?? 0),
  )
  const bytes = pageBytes * pages.reduce((sum, count) => sum + count, 0)
  return bytes > 0 ? bytes : null
}

const GROUP_STATISTICS = '/sys/fs/cgroup/memory.stat'

/** A control group counts file caches as used, although they can be evicted. */
function cachedFiles(): number {
  const text = existsSync(GROUP_STATISTICS) ? readFileSync(GROUP_STATISTICS, 'utf8') : ''
  return Number(/^inactive_file (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Bytes beyond which an allocation cannot succeed: all memory, if the system does not report its evictable caches. */
export function attainableMemory(): number {
  return process.platform === 'linux' ? Math.min(freeMemory(), freeAddresses()) : totalmem()
}

/** Bytes left of the process's address space limit (`ulimit -v`), which only Linux reports; else infinity. */
export function freeAddresses(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY
  const limit = /^Max address space\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  const used = /^VmSize:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  if (limit === undefined || used === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, Number(limit) - 1024 * Number(used))
}
