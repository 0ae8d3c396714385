import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createRelayPace } from './relays.ts'

const many = (count: number, mayConnect: (i: number) => boolean) =>
  Array.from({ length: count }, (_, i) => mayConnect(i)).filter(Boolean).length

test('strangers of one subnet share what a relay does for them, however many ids they have, and a member has its own', () => {
  const clock = createManualClock()
  const mayConnect = createRelayPace(peerId => peerId.startsWith('member'), clock)
  expect(many(100, i => mayConnect(`stranger ${i}`, `/ip4/203.0.113.${i}/tcp/1`))).toBe(32)
  expect(mayConnect('another', '/ip4/198.51.100.7/tcp/1')).toBe(true)
  expect(many(100, () => mayConnect('member', '/ip4/203.0.113.1/tcp/1'))).toBe(64)
  clock.advance(2_000)
  expect(many(100, i => mayConnect(`stranger ${i}`, '/ip4/203.0.113.9/tcp/1'))).toBe(2)
})

test('a swarm on one machine is not held up', () => {
  const mayConnect = createRelayPace(() => false, createManualClock())
  expect(many(100, i => mayConnect(`peer ${i}`, '/ip4/127.0.0.1/tcp/1'))).toBe(100)
})
