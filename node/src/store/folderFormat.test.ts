import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { FolderFormatError, type FolderStep, FolderTooNewError, migrateFolder } from './folderFormat.ts'
import { openIdentity } from './identity.ts'
import { DataFolderLockedError, lockDataFolder } from './lockDataFolder.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-format-'))
  writeFileSync(join(folder, 'peer.key'), 'KEY')
  return folder
}
const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')
/** Files that a process of the operating system holds, or that an opened lock leaves. */
const filesOf = (folder: string) =>
  readdirSync(folder)
    .filter(name => !name.startsWith('node.'))
    .sort()

function migrate(folder: string, steps?: readonly FolderStep[]): string[] {
  const lines: string[] = []
  migrateFolder(folder, line => lines.push(line), steps)
  return lines
}

test("a folder of 0.2 gets a number, and its settings today's names; comments and keys stay as they are", () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'waggle.yaml'), '# mine\nrole: solver # learns\nlog: json\nthreads: 2\n')
  expect(migrate(folder)).toEqual([`${folder}: the setting 'log' of waggle.yaml is 'log-format' now`])
  expect(read(folder, 'waggle.yaml')).toBe('# mine\nrole: solver # learns\nlog-format: json\nthreads: 2\n')
  expect([read(folder, 'peer.key'), read(folder, 'format')]).toEqual(['KEY', '1\n'])
  expect(filesOf(folder)).toEqual(['format', 'peer.key', 'waggle.yaml'])
  expect(migrate(folder)).toEqual([])
})

test("a new folder has the number from its first key on; one that is missing, or not a peer's, stays as it is", async () => {
  const folder = join(newFolder(), 'peer')
  expect(migrate(folder)).toEqual([])
  expect(existsSync(folder)).toBe(false)
  mkdirSync(folder)
  expect(migrate(folder)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
  await openIdentity(folder)
  expect(read(folder, 'format')).toBe('1\n')
})

/** Replaces a, makes b; ends where it is told to. */
function stepsEnding(at: 'nowhere' | 'between' | 'at its end'): FolderStep[] {
  const first: FolderStep = { files: ['a'], apply: () => [] }
  const apply = (folder: string) => {
    writeFileSync(join(folder, 'a'), `${read(folder, 'a')}, changed`)
    if (at === 'between') throw new Error('killed')
    writeFileSync(join(folder, 'b'), 'made')
    if (at === 'at its end') throw new Error('killed')
    return ['a changed']
  }
  return [first, { files: ['a', 'b'], apply }]
}

test.each(['between', 'at its end'] as const)('a step that is ended %s is undone and done by the next start', at => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a'), 'old')
  expect(() => migrate(folder, stepsEnding(at))).toThrow('killed')
  expect([read(folder, 'a'), read(folder, 'format')]).toEqual(['old, changed', '1\n'])
  expect(migrate(folder, stepsEnding('nowhere'))).toEqual([`${folder}: a changed`])
  expect([read(folder, 'a'), read(folder, 'b'), read(folder, 'format')]).toEqual(['old, changed', 'made', '2\n'])
  expect(filesOf(folder)).toEqual(['a', 'b', 'format', 'peer.key'])
})

test('a kill while files are copied aside, or after the number, changes nothing', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a'), 'old')
  mkdirSync(join(folder, 'before-migration.partial'))
  writeFileSync(join(folder, 'before-migration.partial', 'a'), 'ol')
  migrate(folder, stepsEnding('nowhere'))
  mkdirSync(join(folder, 'before-migration'))
  writeFileSync(join(folder, 'before-migration', 'a'), 'old')
  writeFileSync(join(folder, 'before-migration', 'format'), '1\n')
  expect(migrate(folder, stepsEnding('nowhere'))).toEqual([])
  expect(read(folder, 'a')).toBe('old, changed')
  expect(filesOf(folder)).toEqual(['a', 'b', 'format', 'peer.key'])
})

test('a kill while restored files are removed loses none of them', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a'), 'old')
  expect(() => migrate(folder, stepsEnding('between'))).toThrow('killed')
  // The first file goes, then the power.
  const { rmSync } = fs
  const removing = vi.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
    if (!existsSync(join(`${path}`, 'a'))) return rmSync(path, options)
    rmSync(join(`${path}`, 'a'))
    throw new Error('killed')
  })
  syncBuiltinESMExports()
  try {
    expect(() => migrate(folder, stepsEnding('nowhere'))).toThrow('killed')
  } finally {
    removing.mockRestore()
    syncBuiltinESMExports()
  }
  migrate(folder, stepsEnding('nowhere'))
  expect(read(folder, 'a')).toBe('old, changed')
  expect(filesOf(folder)).toEqual(['a', 'b', 'format', 'peer.key'])
})

test("a newer release's folder, one with a damaged number, and one whose older peer runs are refused as they are", () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'waggle.yaml'), 'log: json\n')
  const lock = lockDataFolder(folder)
  expect(() => migrate(folder)).toThrow(DataFolderLockedError)
  lock.release()
  writeFileSync(join(folder, 'format'), '7\n')
  expect(() => migrate(folder)).toThrow(FolderTooNewError)
  writeFileSync(join(folder, 'format'), 'x')
  expect(() => migrate(folder)).toThrow(FolderFormatError)
  expect(read(folder, 'waggle.yaml')).toBe('log: json\n')
})

test('a folder instead of a file is named, and an unknown folder of an update deletes nothing', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'waggle.yaml'))
  expect(() => migrate(folder)).toThrow(`${join(folder, 'waggle.yaml')} is not a regular file.`)
  expect(filesOf(folder)).toEqual(['peer.key', 'waggle.yaml'])
  const other = newFolder()
  writeFileSync(join(other, 'waggle.yaml'), 'role: solver\n')
  mkdirSync(join(other, 'before-migration'))
  expect(() => migrate(other)).toThrow(FolderFormatError)
  expect(read(other, 'waggle.yaml')).toBe('role: solver\n')
})
