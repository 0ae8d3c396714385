import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { createJournal } from '../journal.ts'
import { JOURNAL_FILE, openDatabase } from '../openDatabase.ts'
import { copyJournal, removeLeftCopies } from './journalCopy.ts'

const HOUR_MS = 3_600_000
const copiesIn = (dataDir: string) => readdirSync(dataDir).filter(name => name.startsWith('.backup.'))
const inAnHour = () => Date.now() + HOUR_MS

function newPeer(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'waggle-copies-'))
  const db = openDatabase(join(dataDir, JOURNAL_FILE))
  createJournal(db, systemClock).set(1, 'key', 'value')
  db.close()
  return dataDir
}

/** A process that has copied the journal, and does not get further. */
async function startBackup(dataDir: string) {
  const module = join(import.meta.dirname, 'journalCopy.ts')
  const script = `import(${JSON.stringify(module)}).then(m => m.copyJournal(${JSON.stringify(dataDir)})).then(() => { console.log('copied'); setInterval(() => {}, 1000) })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async () => {
    child.kill('SIGKILL')
    await exited
  }
}

test('a copy of the journal stays while its backup runs, and is removed once that was killed', async () => {
  const dataDir = newPeer()
  const kill = await startBackup(dataDir)
  const copies = copiesIn(dataDir)
  expect(copies).toHaveLength(1)
  expect(removeLeftCopies(dataDir, inAnHour())).toEqual([])
  await kill()
  expect(removeLeftCopies(dataDir)).toEqual(copies)
  expect(copiesIn(dataDir)).toEqual([])
})

test('nothing else is removed from the folder', async () => {
  const dataDir = newPeer()
  const copy = await copyJournal(dataDir)
  const newName = () => join(dataDir, `.backup.${crypto.randomUUID()}.partial`)
  for (const name of ['.backup.mine.partial', 'policy']) mkdirSync(join(dataDir, name))
  writeFileSync(newName(), 'a file')
  symlinkSync(mkdtempSync(join(tmpdir(), 'waggle-elsewhere-')), newName())
  mkdirSync(newName(), { mode: 0o755 })
  const kept = readdirSync(dataDir)
  expect(removeLeftCopies(dataDir, inAnHour())).toEqual([])
  expect(readdirSync(dataDir)).toEqual(kept)
  await copy.remove()
  expect(copiesIn(dataDir)).toHaveLength(4)
})

test('a folder that its backup has not locked yet stays for a minute', () => {
  const dataDir = newPeer()
  mkdirSync(join(dataDir, `.backup.${crypto.randomUUID()}.partial`), { mode: 0o700 })
  const copies = copiesIn(dataDir)
  expect(removeLeftCopies(dataDir)).toEqual([])
  expect(removeLeftCopies(dataDir, inAnHour())).toEqual(copies)
})
