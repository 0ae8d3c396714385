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
