import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeFolderAtomic } from './writeFolderAtomic.ts'

function emptyRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'waggle-write-folder-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return root
}

const fill = (temporary: string) => writeFile(join(temporary, 'a'), 'new')

test('a folder is there whole, and nothing of a write that failed', async () => {
  const root = emptyRoot()
  await writeFolderAtomic(join(root, 'deep/made/'), async temporary => {
    await fill(temporary)
    expect(existsSync(join(root, 'deep/made'))).toBe(false)
  })
  expect(readdirSync(join(root, 'deep'))).toEqual(['made'])
  const failed = writeFolderAtomic(join(root, 'failed'), async temporary => {
    await fill(temporary)
    throw new RangeError('no')
  })
  await expect(failed).rejects.toThrow(RangeError)
  expect(readdirSync(root)).toEqual(['deep'])
})

test('a folder that another process made meanwhile is left alone', async () => {
  const root = emptyRoot()
  const path = join(root, 'made')
  const late = writeFolderAtomic(path, async temporary => {
    await fill(temporary)
    await writeFolderAtomic(path, async other => writeFile(join(other, 'b'), ''))
  })
  await expect(late).rejects.toMatchObject({ code: 'FOLDER', hint: expect.stringContaining('name another folder') })
  expect([readdirSync(root), readdirSync(path)]).toEqual([['made'], ['b']])
})

test('only leftovers of killed writes of this folder are removed', async () => {
  const root = emptyRoot()
  const longAgo = new Date(Date.now() - 7_200_000)
  const folder = (name: string, changed: { folder?: Date; file?: Date } = {}) => {
    const path = join(root, name)
    mkdirSync(path)
    writeFileSync(join(path, 'model.safetensors'), '')
    utimesSync(join(path, 'model.safetensors'), changed.file ?? longAgo, changed.file ?? longAgo)
    utimesSync(path, changed.folder ?? longAgo, changed.folder ?? longAgo)
    return name
  }
  const unfinished = (name: string) => `${name}.123.${randomUUID()}.tmp`
  const link = unfinished('made')
  const now = new Date()
  const kept = [
    folder('made.unfinished'),
    folder('made.tmp'),
    folder(unfinished('other')),
    folder(unfinished('made'), { folder: now }),
    folder(unfinished('made'), { file: now }),
    link,
  ]
  symlinkSync(join(root, 'made.unfinished'), join(root, link))
  folder(unfinished('made'))
  await writeFolderAtomic(join(root, 'made'), fill)
  expect(readdirSync(root).sort()).toEqual([...kept, 'made'].sort())
})
