import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { lockData } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a folder is held until it is released', async () => {
  const release = await lockData(folder)
  await expect(lockData(folder)).rejects.toThrow(`process id ${process.pid}`)
  await release()
  expect(readdirSync(folder)).toEqual([])
})

test('a killed holder does not hold it, even if a later process has its id, as in a container that starts again', async () => {
  writeFileSync(join(folder, 'swarm.pid'), `${process.pid} 1\n`)
  const release = await lockData(folder)
  await release()
})

test('a running swarm of a release that wrote no start holds the folder, and no other process with its id', async () => {
  const script = join(folder, 'swarm.ts')
  writeFileSync(script, "console.log('runs'); setInterval(() => {}, 1000)")
  const older = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(older, 'exit')
  await once(older.stdout, 'data')
  writeFileSync(join(folder, 'swarm.pid'), `${older.pid}\n`)
  try {
    await expect(lockData(folder)).rejects.toThrow(`process id ${older.pid}`)
  } finally {
    older.kill('SIGKILL')
  }
  await exited
  for (const pid of [older.pid, process.ppid, process.pid]) {
    writeFileSync(join(folder, 'swarm.pid'), `${pid}\n`)
    await (await lockData(folder))()
  }
})
