import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pythonSnapshot } from './pythonSnapshot.ts'
import { residentMb, SandboxStartError, startSandboxChild } from './startSandboxChild.ts'

const NOBODY = 2 ** 22 + 1

test.each(['linux', 'darwin'])(
  'the memory of a process is read as on %s, and is 0 once it has ended',
  async platform => {
    const own = process.memoryUsage().rss / 2 ** 20
    expect(await residentMb(process.pid, platform)).toBeGreaterThan(own / 2)
    expect(await residentMb(process.pid, platform)).toBeLessThan(own * 2)
    expect(await residentMb(NOBODY, platform)).toBe(0)
  },
)

test('a damaged snapshot fails one start, and is gone for the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-python-'))
  const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string }
  const file = join(folder, `${version}.snapshot`)
  writeFileSync(file, 'garbage')
  await expect(startSandboxChild(256, folder)).rejects.toThrow(SandboxStartError)
  expect(existsSync(file)).toBe(false)
})

test('a machine that cannot keep a snapshot has none', async () => {
  expect(await pythonSnapshot('unused', join(import.meta.filename, 'folder'))).toBeNull()
})
