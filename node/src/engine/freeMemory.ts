import { readFileSync } from 'node:fs'

/** Bytes that the machine, or the process's control group, has free. */
export const freeMemory = (): number => process.availableMemory()

/** Bytes that are left of the address space that the process was limited to (`ulimit -v`), which only Linux tells; else infinity. */
export function freeAddresses(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY
  const limit = /^Max address space\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  const used = /^VmSize:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  if (limit === undefined || used === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, Number(limit) - 1024 * Number(used))
}
