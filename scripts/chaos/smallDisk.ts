import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Managed, ProcessSpec, Supervisor } from '../swarm/processes/supervisor.ts'

/** Its own disk for one folder, that can be filled. */
export type SmallDisk = {
  /** Changes a process's specification so that the process finds the folder on this disk. */
  enter(spec: ProcessSpec): ProcessSpec
  /** Path of the folder for processes that do not enter. */
  path: string
  /** @param leftBytes - stay free, in whole pages; none by default. */
  fill(leftBytes?: number): Promise<void>
  empty(): Promise<void>
}

/** `statfs`'s type of a tmpfs. */
const TMPFS = 0x01021994
const CHUNK = Buffer.alloc(2 ** 20)
const ASK_EVERY_MS = 50

/** Mounted in a private namespace, which needs no privileges where users may create namespaces, and gone with its process. */
const MOUNT = `mkdir -p "$1.disk" && mount -t tmpfs -o size="$2" tmpfs "$1.disk" && cp -a "$1/." "$1.disk" &&
  mount --bind "$1.disk" "$1" && umount "$1.disk" && exec sleep infinity`

/**
 * Puts a folder and what it holds on a disk in memory.
 *
 * @returns null if this machine has no such namespaces.
 */
export async function openSmallDisk(supervisor: Supervisor, folder: string, bytes: number): Promise<SmallDisk | null> {
  const namespaces = ['--user', '--map-root-user', '--mount']
  const argv = [...namespaces, 'sh', '-c', MOUNT, 'sh', folder, String(bytes)]
  const holder = await supervisor.start({ name: 'disk', command: 'unshare', argv }, () => {})
  if (!(await isMounted(holder, folder))) return null
  const path = join('/proc', String(holder.pid), 'root', folder)
  const ballast = join(path, 'ballast')
  const joining = ['--user', '--mount', '--preserve-credentials', '--target', String(holder.pid)]
  return {
    enter: spec => ({ ...spec, command: 'nsenter', argv: [...joining, spec.command, ...spec.argv] }),
    path,
    async fill(leftBytes = 0) {
      const file = await open(ballast, 'w')
      try {
        for (let size = CHUNK.byteLength; size >= 1; ) {
          const written = await file.write(CHUNK, 0, size).catch(asFull)
          if (written === null) size = Math.floor(size / 2)
        }
        await file.truncate(Math.max(0, (await file.stat()).size - leftBytes))
      } finally {
        await file.close()
      }
    },
    empty: () => rm(ballast, { force: true }),
  }
}

/** False once its process has ended. */
async function isMounted({ pid, exited }: Managed, folder: string): Promise<boolean> {
  let isOver = false
  void exited.then(() => {
    isOver = true
  })
  while (!isOver) {
    const found = await statfs(join('/proc', String(pid), 'root', folder)).catch(() => null)
    if (found?.type === TMPFS) return true
    await sleep(ASK_EVERY_MS)
  }
  return false
}

function asFull(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOSPC') throw error
  return null
}
