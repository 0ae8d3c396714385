import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { logProcess } from './supervisor.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A process that prints so many mebibytes, each in a write, and a last line. */
function printing(mebibytes: number): ChildProcess {
  const program = `for (let i = 0; i < ${mebibytes}; i++) process.stdout.write('x'.repeat(2 ** 20) + '\\n')
    console.log('the end')`
  return spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
}

test('a log of more than 10 MB is rotated', async () => {
  const folder = newFolder()
  const child = printing(15)
  const end = logProcess(child, join(folder, 'peer.log'), () => {})
  await once(child, 'close')
  await end()
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['peer.log', 'peer.log.1']))
  expect(readFileSync(join(folder, 'peer.log'), 'utf8')).toMatch(/the end\n$/)
  expect(statSync(join(folder, 'peer.log')).size).toBeLessThan(11 * 2 ** 20)
})

test('a process whose log cannot be written goes on to its end, and that is said once', async () => {
  const folder = newFolder()
  const path = join(folder, 'peer.log')
  mkdirSync(path)
  const said: string[] = []
  const child = printing(2)
  const end = logProcess(child, path, line => said.push(line))
  expect(await once(child, 'close')).toEqual([0, null])
  await end()
  expect(said).toEqual([expect.stringContaining(`${path} is not written until its process starts again`)])
})
