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
  const isMember = async (peerId: string) => !peerId.startsWith('stranger')
  const note = createClockCheck(testSwarm, { isMember, clock, logger: { ...silentLogger, warn } })
  function hear(from: string, aheadMinutes: number, kind: AnnouncementKind | 'addresses' = 'addresses') {
    const sequence = Buffer.alloc(8)
    sequence.writeBigUInt64BE(BigInt(clock.nowMs() + aheadMinutes * MINUTE_MS) * 1_000_000n)
    const none = new Uint8Array(0)
    const topic = topicOf(testSwarm, kind)
    return note(
      encodeSigned({ from, sequence: Uint8Array.from(sequence), topic, data: none, signature: none, key: none }),
    )
  }
  return { clock, warnings, hear }
}

test.each([
  [60, 'the clock of this machine is 60 minutes behind those of most peers'],
  [-60, 'the clock of this machine is 60 minutes ahead of those of most peers'],
])('a clock that most peers differ from by %i minutes is named once', async (ahead, words) => {
  const { warnings, hear } = scene()
  await hear('right', 0)
  for (const peer of ['a', 'b']) for (let again = 0; again < 5; again++) await hear(peer, ahead)
  expect(warnings).toEqual([expect.stringContaining(words)])
  expect(warnings[0]).toContain('npx waggle doctor')
  await hear('c', ahead)
  expect(warnings.length).toBe(1)
})

test('no clock is named for one or half of the peers, small differences, other messages, or what was heard long before', async () => {
  const { clock, warnings, hear } = scene()
  for (let again = 0; again < 5; again++) await hear('a', 60)
  for (const peer of ['b', 'c']) await hear(peer, 60, 'scores')
  for (const peer of ['d', 'e']) await hear(peer, 9)
  await hear('b', 60)
  await hear('f', -60)
  expect(warnings).toEqual([])
  clock.advance(6 * MINUTE_MS)
  for (const peer of ['g', 'h']) await hear(peer, 60)
  expect(warnings).toEqual([])
})

test('no clock is named for strangers, however many say so', async () => {
  const { warnings, hear } = scene()
  for (let i = 0; i < 20; i++) await hear(`stranger ${i}`, 60)
  expect(warnings).toEqual([])
})
