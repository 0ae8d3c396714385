import { existsSync, readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'

/** Bytes that the machine, or the process's control group, has free. On Linux that counts what is kept of files. */
export function freeMemory(): number {
  const isLimited = process.constrainedMemory() < totalmem()
  return Math.min(freemem(), process.availableMemory() + (isLimited ? cachedFiles() : 0))
}

const GROUP_STATISTICS = '/sys/fs/cgroup/memory.stat'

/** A control group counts files that it keeps in memory as used, though they give way. */
function cachedFiles(): number {
  const text = existsSync(GROUP_STATISTICS) ? readFileSync(GROUP_STATISTICS, 'utf8') : ''
  return Number(/^inactive_file (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Bytes beyond which an allocation is hopeless. Where the system does not say what it would give up of its caches, all that it has. */
export function attainableMemory(): number {
  return process.platform === 'linux' ? Math.min(freeMemory(), freeAddresses()) : totalmem()
}

/** Bytes that are left of the address space that the process was limited to (`ulimit -v`), which only Linux tells; else infinity. */
export function freeAddresses(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY
  const limit = /^Max address space\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  const used = /^VmSize:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  if (limit === undefined || used === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, Number(limit) - 1024 * Number(used))
}
