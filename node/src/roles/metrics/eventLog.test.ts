import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createEventLog } from './eventLog.ts'

test('with the first figure the oldest event files are removed beyond a total size, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-events-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const events = join(folder, 'tensorboard')
  mkdirSync(events)
  writeFileSync(join(events, 'notes.txt'), 'mine')
  for (const sec of [10, 20, 30]) {
    const path = join(events, `events.out.tfevents.${sec}`)
    writeFileSync(path, new Uint8Array(100))
    utimesSync(path, sec, sec)
  }
  const files = { folder, clock: createManualClock(40_000), logger: silentLogger }
  const log = createEventLog(files, 250)
  expect(readdirSync(events)).toHaveLength(4)
  log.note(1, { reward: 0.5 })
  await log.close()
  expect(readdirSync(events).sort()).toEqual([
    'events.out.tfevents.20',
    'events.out.tfevents.30',
    'events.out.tfevents.40',
    'notes.txt',
  ])
})
