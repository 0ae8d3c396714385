import { readFileSync } from 'node:fs'

/**
 * Bytes that this process may still take: what the machine or its control group has free, or what is left of the address
 * space that it was limited to (`ulimit -v`), which only Linux tells.
 */
export function freeMemory(): number {
  return Math.max(0, Math.min(process.availableMemory(), addressSpaceLeft()))
}

function addressSpaceLeft(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY
  const limit = /^Max address space\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  const used = /^VmSize:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return limit === undefined || used === undefined ? Number.POSITIVE_INFINITY : Number(limit) - 1024 * Number(used)
}
