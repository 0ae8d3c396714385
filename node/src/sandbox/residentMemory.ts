import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Resident memory of a process, MB; 0 once it has ended.
 *
 * @param platform - Linux tells it in a file; elsewhere `ps` is asked, which takes a few milliseconds.
 */
export async function residentMb(pid: number, platform: string = process.platform): Promise<number> {
  if (platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return Number(stdout.trim()) / 1_024
}
