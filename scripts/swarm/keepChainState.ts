import { copyFile, open, rename, rm, stat } from 'node:fs/promises'

const LOOK_EVERY_MS = 500

/** Where the last whole copy of a chain's state is kept. */
export const keptPath = (statePath: string) => `${statePath}.kept`

/**
 * Copies a chain's state whenever it was written whole. Anvil writes over the only file it has, each second: if it is killed meanwhile, that file ends in
 * the middle, and {@link mendChainState} takes the copy. Ends with the process.
 *
 * @param exited - settles when the chain's process has ended: what it left half-written then is never copied.
 */
export function keepChainState(statePath: string, exited: Promise<unknown>): void {
  let hasEnded = false
  let copiedMs = 0
  const copy = async () => {
    const before = await stat(statePath)
    if (before.size === 0 || before.mtimeMs === copiedMs) return
    const next = `${statePath}.next`
    await copyFile(statePath, next)
    const after = await stat(statePath)
    const isStill = after.mtimeMs === before.mtimeMs && after.size === before.size
    if (hasEnded || !isStill || !(await endsAsObject(next))) return await rm(next, { force: true })
    await rename(next, keptPath(statePath))
    copiedMs = before.mtimeMs
  }
  let copying = Promise.resolve()
  // A file that is not there yet, or a full disk: the next look tries again.
  const look = () => {
    copying = copying.then(copy).catch(() => undefined)
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  timer.unref()
  void exited.then(() => {
    hasEnded = true
    clearInterval(timer)
  })
}

async function endsAsObject(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer.toString() === '}'
  } finally {
    await file.close()
  }
}
