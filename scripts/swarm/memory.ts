import { readdir, readFile } from 'node:fs/promises'

/** Parent of every process, as `/proc/<pid>/stat` tells it. */
async function parents(): Promise<Map<number, number>> {
  const table = new Map<number, number>()
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  await Promise.all(
    pids.map(async pid => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      // The command stands in parentheses and may hold blanks: fields are counted from its last ')'.
      const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      if (Number.isInteger(ppid)) table.set(Number(pid), ppid)
    }),
  )
  return table
}

function descendants(root: number, table: Map<number, number>): number[] {
  const found = [root]
  for (const pid of found) for (const [child, parent] of table) if (parent === pid) found.push(child)
  return found
}

/**
 * Memory of a process and all below it: the sum of PSS, so that shared pages count once.
 *
 * @returns MiB, or 0 where the kernel has no `/proc/<pid>/smaps_rollup` (not Linux).
 */
async function pssMb(root: number): Promise<number> {
  const table = await parents().catch(() => new Map<number, number>())
  const sizes = await Promise.all(
    descendants(root, table).map(async pid => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0)
    }),
  )
  return sizes.reduce((sum, kb) => sum + kb, 0) / 1024
}

/** Samples memory until stopped and keeps the peak. */
export function watchMemory(root: number, everyMs = 2_000): { peakMb: () => number; stop: () => void } {
  let peakMb = 0
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    void pssMb(root).then(mb => {
      peakMb = Math.max(peakMb, mb)
      busy = false
    })
  }, everyMs)
  timer.unref()
  return { peakMb: () => peakMb, stop: () => clearInterval(timer) }
}
