import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { type Logger, silentLogger } from '#core/logger.ts'
import { createDiskGuard } from './diskGuard.ts'
import { DiskFullError, RESERVED_BYTES } from './diskSpace.ts'

function guardOf({ free = RESERVED_BYTES, probe = async () => {}, fault = null as Error | null } = {}) {
  const clock = createManualClock()
  const lines: string[] = []
  const logger: Logger = { ...silentLogger, error: line => lines.push(line), info: line => lines.push(line) }
  const disk = { free, probe, fault }
  const guard = createDiskGuard({
    ...{
      folder: '/data',
      clock,
      logger,
      readFree: async () => disk.free,
      probe: () => disk.probe(),
      faultOf: () => disk.fault,
    },
  })
  /** Lets time pass until the wait is over. @returns how long it took. */
  async function wait(meanwhile: (waitedMs: number) => void = () => {}) {
    const startMs = clock.nowMs()
    let isOver = false
    const waiting = guard.untilWritable(new AbortController().signal).finally(() => {
      isOver = true
    })
    waiting.catch(() => {})
    for (;;) {
      await new Promise(resolve => setImmediate(resolve))
      if (isOver) break
      clock.advance(500)
      meanwhile(clock.nowMs() - startMs)
    }
    await waiting
    return clock.nowMs() - startMs
  }
  return { guard, disk, lines, wait }
}

test('work waits while there is no space, and continues when there is: two lines, however many ask', async () => {
  const { guard, disk, lines, wait } = guardOf({ free: RESERVED_BYTES - 1 })
  const other = guard.untilWritable(new AbortController().signal)
  const waitedMs = await wait(ms => {
    if (ms === 20_000) disk.free = RESERVED_BYTES
  })
  await other
  expect(waitedMs).toBe(31_000)
  expect(lines).toEqual([
    expect.stringMatching(/^the disk is full; .* free some/),
    expect.stringMatching(/^there is space/),
  ])
  expect(await wait()).toBe(0)
})

test("a user's quota is detected by a probe", async () => {
  const quota = Object.assign(new Error('EDQUOT: disk quota exceeded, write'), { code: 'EDQUOT' })
  const { guard, disk, wait } = guardOf({ probe: () => Promise.reject(quota) })
  expect(guard.isFault(new Error('another'))).toBe(false)
  expect(guard.isFault(new Error('the step failed', { cause: quota }))).toBe(true)
  await wait(ms => {
    if (ms === 10_000) disk.probe = async () => {}
  })
})

test('work waits for a disk that fails, whether the database or the probe meets it', async () => {
  const failed = Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' })
  const flush = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1_034 })
  for (const first of [new DiskFullError('/data/journal.sqlite'), flush]) {
    const { guard, disk, lines, wait } = guardOf({ probe: () => Promise.reject(failed) })
    expect(guard.isFault(first)).toBe(true)
    const waitedMs = await wait(ms => {
      if (ms === 20_000) disk.probe = async () => {}
    })
    expect(waitedMs).toBe(31_000)
    expect(lines).toEqual([
      expect.stringMatching(/^the data folder cannot be used/),
      expect.stringMatching(/^the data folder can be used again/),
    ])
  }
})

test('work waits while the data folder cannot be used, and continues when it can: two lines', async () => {
  const { guard, disk, lines, wait } = guardOf({ fault: new Error('/data does not exist') })
  expect(guard.isFault(new Error('ENOENT: no such file'))).toBe(true)
  const waitedMs = await wait(ms => {
    if (ms === 20_000) disk.fault = null
  })
  expect(waitedMs).toBe(31_000)
  expect(lines).toEqual([
    expect.stringMatching(/^the data folder cannot be used/),
    expect.stringMatching(/^the data folder can be used again/),
  ])
  expect(guard.isFault(new Error('ENOENT: no such file'))).toBe(false)
  expect(await wait()).toBe(0)
})

test('a disk that the system has made read-only is named, although rights allow writes and SQLite has called it full', async () => {
  const readOnly = Object.assign(new Error('EROFS: read-only file system, open'), { code: 'EROFS' })
  for (const first of [new DiskFullError('/data/journal.sqlite'), readOnly]) {
    const { guard, disk, lines, wait } = guardOf({ probe: () => Promise.reject(readOnly) })
    expect(guard.isFault(first)).toBe(true)
    await wait(ms => {
      if (ms === 20_000) disk.probe = async () => {}
    })
    expect(lines).toEqual([
      expect.stringMatching(/^the data folder cannot be used/),
      expect.stringMatching(/^the data folder can be used again/),
    ])
  }
})

test('work that fails again after each wait waits longer and longer, a minute at most', async () => {
  const { guard, wait } = guardOf()
  const waits: number[] = []
  for (let time = 0; time < 8; time++) {
    guard.isFault(new DiskFullError('/data'))
    waits.push((await wait()) / 1_000)
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
})
