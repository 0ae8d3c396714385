import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createClockCheck } from './clockCheck.ts'
import { encodeSigned } from './signedMessage.ts'
import { testSwarm } from './testAnnouncement.ts'
import { type AnnouncementKind, topicOf } from './topics.ts'

const MINUTE_MS = 60_000

function scene() {
  const clock = createManualClock(1.8e12)
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const note = createClockCheck(testSwarm, { clock, logger: { ...silentLogger, warn } })
  function hear(from: string, aheadMinutes: number, kind: AnnouncementKind | 'addresses' = 'addresses'): void {
    const sequence = Buffer.alloc(8)
    sequence.writeBigUInt64BE(BigInt(clock.nowMs() + aheadMinutes * MINUTE_MS) * 1_000_000n)
    const none = new Uint8Array(0)
    const topic = topicOf(testSwarm, kind)
    note(encodeSigned({ from, sequence: Uint8Array.from(sequence), topic, data: none, signature: none, key: none }))
  }
  return { clock, warnings, hear }
}

test.each([
  [60, 'the clock of this machine is 60 minutes behind those of most peers'],
  [-60, 'the clock of this machine is 60 minutes ahead of those of most peers'],
])('a clock that most peers differ from by %i minutes is named once', (ahead, words) => {
  const { warnings, hear } = scene()
  hear('right', 0)
  for (const peer of ['a', 'b']) for (let again = 0; again < 5; again++) hear(peer, ahead)
  expect(warnings).toEqual([expect.stringContaining(words)])
  expect(warnings[0]).toContain('npx waggle doctor')
  hear('c', ahead)
  expect(warnings.length).toBe(1)
})

test('no clock is named for one or half of the peers, small differences, other messages, or what was heard long before', () => {
  const { clock, warnings, hear } = scene()
  for (let again = 0; again < 5; again++) hear('a', 60)
  for (const peer of ['b', 'c']) hear(peer, 60, 'scores')
  for (const peer of ['d', 'e']) hear(peer, 9)
  hear('b', 60)
  hear('f', -60)
  expect(warnings).toEqual([])
  clock.advance(6 * MINUTE_MS)
  for (const peer of ['g', 'h']) hear(peer, 60)
  expect(warnings).toEqual([])
})
