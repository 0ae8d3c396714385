import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readHeldOut } from './gateway.ts'

test('a measurement that is missing, or was cut off in the middle, is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-held-out-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'held-out.json')
  expect(readHeldOut(path)).toBeNull()
  writeFileSync(path, '{"solvers":[')
  expect(readHeldOut(path)).toBeNull()
  writeFileSync(path, '{"solvers":[]}')
  expect(readHeldOut(path)).toEqual({ solvers: [] })
})
