import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFileAtomic, writeFileAtomicSync } from './writeFileAtomic.ts'

const openFolder = () => mkdtemp(join(tmpdir(), 'waggle-atomic-'))

test('writers of one file at once do not disturb each other', async () => {
  const folder = await openFolder()
  const contents = Array.from({ length: 16 }, (_, at) => `${at}`.repeat(1_000))
  await Promise.all(contents.map(content => writeFileAtomic(join(folder, 'one'), content)))
  expect(contents).toContain(await readFile(join(folder, 'one'), 'utf8'))
  expect(await readdir(folder)).toEqual(['one'])
})

test('a content that ends in an error leaves the old file, and no other', async () => {
  const folder = await openFolder()
  const path = join(folder, 'one')
  await writeFileAtomic(path, 'old')
  function* broken() {
    yield Uint8Array.of(1)
    throw new Error('the source broke')
  }
  await expect(writeFileAtomic(path, broken())).rejects.toThrow('the source broke')
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['one'])
})

test('the synchronous form replaces a file with the mode that it is given, and leaves the old one if it fails', async () => {
  const folder = await openFolder()
  const path = join(folder, 'one')
  writeFileAtomicSync(path, 'old', 0o600)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(() => writeFileAtomicSync(path, 1n as never)).toThrow()
  expect(await readFile(path, 'utf8')).toBe('old')
  writeFileAtomicSync(path, 'new')
  expect(await readFile(path, 'utf8')).toBe('new')
  expect(await readdir(folder)).toEqual(['one'])
})
