import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** A process that prints until it is told to stop, and ends with 7 then. */
async function printing() {
  const module = join(import.meta.dirname, 'stopRequests.ts')
  const program = `const { stopRequests } = await import(${JSON.stringify(module)})
    stopRequests().signal.addEventListener('abort', () => setTimeout(() => process.exit(7), 20))
    setInterval(() => [process.stdout, process.stderr].map(stream => stream.write('a row')), 5)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await Promise.all([once(child.stdout, 'data'), once(child.stderr, 'data')])
  return { child, exited }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s stops a swarm in order', async signal => {
  const { child, exited } = await printing()
  child.kill(signal)
  expect(await exited).toEqual([7, null])
})

test.each(['stdout', 'stderr'] as const)('a swarm stops in order once nobody reads its %s', async name => {
  const { child, exited } = await printing()
  child[name].destroy()
  expect(await exited).toEqual([7, null])
})
