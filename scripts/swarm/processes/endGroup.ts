/** Grace period after SIGTERM. */
const GRACE_MS = 8_000

/** Peers stop before the chain that they write to; the empty prefix stands for all others. */
const STOP_ORDER = ['peer-', 'dashboard', 'indexer', 'chain', '']

/** Ends processes by the prefix of their name, in the order given. @param running - those that still run. */
export async function endInOrder<T extends { name: string }>(
  running: () => Iterable<T>,
  end: (one: T) => Promise<void>,
  order: readonly string[] = STOP_ORDER,
): Promise<void> {
  for (const prefix of order) await Promise.all([...running()].filter(({ name }) => name.startsWith(prefix)).map(end))
}

/** SIGTERM to a whole process group, then SIGKILL to what is left of it. @param exited - settles when its leader is gone. */
export async function endGroup(pid: number, exited: Promise<unknown>, graceMs = GRACE_MS): Promise<void> {
  signalGroup(pid, 'SIGTERM')
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>(resolve => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([exited, grace])
  clearTimeout(timer)
  signalGroup(pid, 'SIGKILL')
  await exited
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
