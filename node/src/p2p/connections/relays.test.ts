import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createRelayPace } from './relays.ts'

const many = (count: number, mayConnect: (i: number) => boolean) =>
  Array.from({ length: count }, (_, i) => mayConnect(i)).filter(Boolean).length

test('strangers of one source share what a relay does for them, however many ids they have, and a member has its own', () => {
  const clock = createManualClock()
  const sourceOf = (peerId: string): string => peerId.split(' at ')[1] ?? ''
  const mayConnect = createRelayPace(peerId => peerId.startsWith('member'), sourceOf, clock)
  expect(many(100, i => mayConnect(`stranger ${i} at 203.0.113.0/24`))).toBe(32)
  expect(mayConnect('another at 198.51.100.0/24')).toBe(true)
  expect(many(100, () => mayConnect('member at 203.0.113.0/24'))).toBe(64)
  clock.advance(2_000)
  expect(many(100, i => mayConnect(`stranger ${i} at 203.0.113.0/24`))).toBe(2)
})
