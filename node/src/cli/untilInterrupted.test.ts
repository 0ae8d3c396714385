import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a terminal that is closed stops in order, however often it says so', () => {
  const program = `import { stopSignal } from ${JSON.stringify(join(import.meta.dirname, 'untilInterrupted.ts'))}
    stopSignal().addEventListener('abort', () => {
      process.kill(process.pid, 'SIGHUP')
      setImmediate(() => process.exit(7))
    })
    process.kill(process.pid, 'SIGHUP')
    setInterval(() => {}, 1000)`
  const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
  expect({ status, signal }).toEqual({ status: 7, signal: null })
})
