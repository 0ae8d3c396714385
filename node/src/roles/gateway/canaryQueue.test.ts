import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { CanaryBundle } from '#core/payloads/payloads.ts'
import type { Sandbox } from '#sandbox/createSandbox.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { MAX_SLOW, verdictsOf } from '../models/verdictsOf.ts'
import type { CanaryPoint } from '../reports/canaryPoint.ts'
import { createCanaryQueue } from './canaryQueue.ts'

test('a peer has one canary of a round measured, however many it announces, and another round again', async () => {
  const db = openDatabase(':memory:')
  const journal = createJournal(db, createManualClock())
  const measured: string[] = []
  const measure = async (peerId: string, { round, level }: CanaryBundle) => {
    measured.push(`${round} ${peerId} ${level}`)
    return { round, peerId } as CanaryPoint
  }
  const { signal } = new AbortController()
  const queue = createCanaryQueue({ measure, journal, logger: silentLogger, signal })
  const canary = (round: number, level: number) => ({ round, level }) as CanaryBundle
  for (const level of [1, 2, 3]) queue.add('hostile', canary(5, level))
  queue.add('honest', canary(5, 1))
  await queue.idle()
  queue.add('hostile', canary(5, 4))
  queue.add('hostile', canary(10, 1))
  await queue.idle()
  expect(measured).toEqual(['5 hostile 1', '5 honest 1', '10 hostile 1'])
  db.close()
})

test.each(['hangs', 'crashes'])('answers of which each %s take the time of some of them at most', async kind => {
  const clock = createManualClock()
  let runs = 0
  const sandbox: Pick<Sandbox, 'runTests'> = {
    async runTests(cases) {
      runs += cases.length
      if (cases[0]?.code === 'crashes') clock.advance(8_000)
      return cases.map(({ code }) => (code === 'hangs' ? 'timeout' : code === 'crashes' ? 'error' : 'pass'))
    },
  }
  const cases = (code: string) => Array.from({ length: 200 }, () => ({ code, tests: [] }))
  const verdicts = await verdictsOf(sandbox, cases(kind), MAX_SLOW, clock)
  expect([verdicts.length, verdicts.at(-1), runs]).toEqual([200, 'timeout', MAX_SLOW])
  expect(new Set(await verdictsOf(sandbox, cases('right'), MAX_SLOW, clock))).toEqual(new Set(['pass']))
})
