import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from './makeFolder.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-folder-'))
afterAll(() => rmSync(root, { recursive: true }))

test('a folder is made with its parents, and an existing one is left alone', () => {
  makeFolder(join(root, 'a/b/c'), 0o700)
  expect(statSync(join(root, 'a/b/c')).mode & 0o777).toBe(0o700)
  makeFolder(join(root, 'a/b/c'))
  expect(statSync(join(root, 'a/b/c')).mode & 0o777).toBe(0o700)
  symlinkSync(join(root, 'a'), join(root, 'link'))
  makeFolder(join(root, 'link/d'))
  expect(statSync(join(root, 'a/d')).isDirectory()).toBe(true)
})

test('a file in the way is named', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => makeFolder(join(root, 'file'))).toThrow(/file cannot be made \(EEXIST\)/)
  expect(() => makeFolder(join(root, 'file/x'))).toThrow(/file\/x cannot be made \(ENOTDIR\)/)
})

test.runIf(process.platform === 'linux')('a place where no folder can be made is refused at once', () => {
  expect(() => makeFolder('/proc/waggle/copies')).toThrow(
    expect.objectContaining({
      code: 'FOLDER',
      message: expect.stringMatching(/\/proc\/waggle\/copies cannot be made/),
    }),
  )
})
