import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatError } from '#base/errors.ts'
import { DataFolderLockedError, lockDataFolder, PID_FILE } from './lockDataFolder.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'waggle-lock-'))

test('a second node gets one clear error that names the first, until that lets go', () => {
  const dataDir = folder()
  const lock = lockDataFolder(dataDir)
  let error: unknown
  try {
    lockDataFolder(dataDir)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(DataFolderLockedError)
  expect(formatError(error)).toContain(`process ${process.pid}`)
  lock.release()
  lock.release()
  expect(existsSync(join(dataDir, 'node.pid'))).toBe(false)
  lockDataFolder(dataDir).release()
})

test('the lock of a process that was killed is taken over', async () => {
  const dataDir = folder()
  const module = join(import.meta.dirname, 'lockDataFolder.ts')
  const script = `import(${JSON.stringify(module)}).then(m => { m.lockDataFolder(${JSON.stringify(dataDir)}); gc(); console.log('held'); setInterval(() => {}, 1000) })`
  const child = spawn(process.execPath, ['--expose-gc', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  try {
    expect(() => lockDataFolder(dataDir)).toThrow(`process ${child.pid}`)
  } finally {
    child.kill('SIGKILL')
  }
  await exited
  lockDataFolder(dataDir).release()
})

test('a damaged lock file is named as such, and not taken for another node', () => {
  const [damaged, replaced] = [folder(), folder()]
  writeFileSync(join(damaged, 'node.lock'), 'no database '.repeat(100))
  mkdirSync(join(replaced, 'node.lock'))
  for (const dataDir of [damaged, replaced])
    expect(() => lockDataFolder(dataDir)).toThrow(`cannot be locked through ${join(dataDir, 'node.lock')}`)
})

test('a lock is released although its file for people cannot be removed, as on a disk that became read-only', () => {
  const dataDir = folder()
  const pidPath = join(dataDir, PID_FILE)
  const lock = lockDataFolder(dataDir)
  rmSync(pidPath)
  mkdirSync(pidPath) // a folder is not removed as a file is
  lock.release()
  rmdirSync(pidPath)
  lockDataFolder(dataDir).release()
})
