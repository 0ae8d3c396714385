import { expect, test } from 'vitest'
import { encodeCanonical } from '#core/canonical.ts'
import { AnnouncementError } from '../errors.ts'
import { type Announcement, checkAnnouncement, encodeAnnouncement, HARD_MAX_BYTES } from './announcement.ts'
import { ownAnnouncement } from './testAnnouncement.ts'

const peerId = '16Uiu2HAkzLY2i7BKTwqj4SBfqaE8EtU7pYnqsVtWt2fyZ4E7SCdc'
const announcement: Announcement = { ...ownAnnouncement(), v: 1, chainId: 31337, peerId }
const expected = { kind: 'rollouts', chainId: 31337 } as const
const check = (bytes: Uint8Array, from = peerId) => checkAnnouncement(bytes, from, expected)
const raw = (changes: object) => encodeCanonical({ ...announcement, ...changes })

test('an encoded message is accepted, in about half a kilobyte', () => {
  const bytes = encodeAnnouncement(announcement)
  expect(check(bytes)).toEqual({ verdict: 'accept', value: announcement })
  expect(bytes.byteLength).toBeLessThan(600)
})

test.each([
  ['noise', Uint8Array.from([1, 2, 3])],
  ['nothing', new Uint8Array(0)],
  ['a missing field', encodeCanonical({ v: 1, kind: 'rollouts' })],
  ['a field too many', raw({ score: 1 })],
  ['a hash that is too short', raw({ root: '0x12' })],
  ['a negative count', raw({ count: -1 })],
  ['a payload larger than any of its kind', raw({ size: (8 << 20) + 1 })],
  ['another kind', raw({ kind: 'tasks' })],
  ['another chain', raw({ chainId: 1 })],
  ['more than the hard cap', raw({ v: 2, padding: 'x'.repeat(HARD_MAX_BYTES) })],
])('%s is rejected', (_, bytes) => {
  expect(check(bytes).verdict).toBe('reject')
})

test('an announcement in the name of another peer is rejected', () => {
  expect(check(raw({}), '16Uiu2HAmDifferent').verdict).toBe('reject')
})

test('bytes that decode to an announcement but are not its encoding are rejected', () => {
  const bytes = encodeAnnouncement(announcement)
  // The map's head, with its length in its own byte: the same value, longer than need be.
  const longer = Uint8Array.from([0xb8, (bytes[0] ?? 0) & 0x1f, ...bytes.subarray(1)])
  expect(check(longer)).toMatchObject({ verdict: 'reject' })
})

test('a later version is ignored, not rejected', () => {
  expect(check(raw({ v: 2, more: true })).verdict).toBe('ignore')
})

test('a message that others would refuse is not sent', () => {
  expect(() => encodeAnnouncement({ ...announcement, count: 0.5 })).toThrow(AnnouncementError)
})
