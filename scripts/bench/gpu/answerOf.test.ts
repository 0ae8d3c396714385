import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { answerOf } from './answerOf.ts'

const shell = (script: string, limitSec = 60) => answerOf<unknown>('/bin/sh', ['-c', script], limitSec)

test('The last line is the answer, and the reason is the line of the error.', async () => {
  expect(await shell('echo loading; echo \'{"seconds": 2}\'')).toEqual({ seconds: 2 })
  expect(await shell('echo \'{"seconds": 2}\'; exit 1')).toEqual({ seconds: 2 })
  await expect(shell('echo "RuntimeError: no GPU" >&2; echo cleaning up >&2; exit 1')).rejects.toThrow(
    'RuntimeError: no GPU',
  )
  await expect(shell('kill -SEGV $$')).rejects.toThrow('it ended with SIGSEGV and printed no answer')
  await expect(answerOf('no-such-program', [], 60)).rejects.toThrow('no-such-program is not installed')
  await expect(shell('echo 1', 0)).rejects.toThrow('no time was left for it')
})

test('A process that hangs is killed with what it started, and what it has printed counts.', async () => {
  const before = performance.now()
  // The shell waits for a child, which holds its output open and has arguments of its own.
  const child = `sleep ${100_000 + process.pid}`
  await expect(shell(`${child}; true`, 1)).rejects.toThrow('it did not answer in 1 s')
  expect(await shell(`echo '{"seconds": 3}'; ${child}; true`, 1)).toEqual({ seconds: 3 })
  expect(performance.now() - before).toBeLessThan(60_000)
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  expect(stdout.split('\n')).not.toContain(child)
})

test('An answer does not wait for a process that was left behind.', async () => {
  const [pid, before] = [await shell('sleep 50 & echo $!'), performance.now()]
  expect(performance.now() - before).toBeLessThan(30_000)
  process.kill(pid as number)
})
