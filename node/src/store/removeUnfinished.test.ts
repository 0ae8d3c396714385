import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeUnfinished } from './removeUnfinished.ts'

const HOUR_SEC = 3_600

/** The id of a process that lives until the test is over, and of one that has ended. */
async function processIds() {
  const start = () => spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const [living, dead] = [start(), start()]
  onTestFinished(() => void living.kill('SIGKILL'))
  dead.kill('SIGKILL')
  await once(dead, 'exit')
  return { living: living.pid, dead: dead.pid }
}

test('unfinished small files of dead processes are removed, and no other file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-unfinished-'))
  const { living, dead } = await processIds()
  const seconds = Date.now() / 1_000
  const write = (name: string, ageSec = HOUR_SEC) => {
    writeFileSync(join(folder, name), 'half')
    utimesSync(join(folder, name), seconds - ageSec, seconds - ageSec)
    return name
  }
  const gone = [
    write(`peer.key.${dead}.partial`),
    write(`waggle.yaml.${dead}.${randomUUID()}.tmp`),
    // Of an earlier life in a container, where the first process always has the same id.
    write(`account.key.${process.pid}.partial`),
  ]
  const kept = [
    write('peer.key'),
    write(`peer.key.${living}.partial`),
    write(`format.${living}.${randomUUID()}.tmp`),
    write(`account.key.${dead}.partial`, 5),
    write('notes.partial'),
    write('7.tmp'),
  ]
  mkdirSync(join(folder, `bundles.${dead}.partial`))
  expect(removeUnfinished(folder).sort()).toEqual(gone.sort())
  expect(readdirSync(folder).sort()).toEqual([...kept, `bundles.${dead}.partial`].sort())
})
