import { expect, test } from 'vitest'
import { type Announcement, encodeAnnouncement } from './announcement.ts'
import { createAnnouncementCache } from './announcementCache.ts'
import { encodeSigned, type SignedMessage } from './signedMessage.ts'
import { hash, ownAnnouncement, testSwarm } from './testAnnouncement.ts'
import { topicRules } from './topicRules.ts'
import { topicOf } from './topics.ts'

function signed(sequence: number, changes: Partial<Announcement> = {}): SignedMessage {
  const announcement: Announcement = { ...ownAnnouncement(), v: 1, chainId: 31337, peerId: 'peer', ...changes }
  const eight = Buffer.alloc(8)
  eight.writeBigUInt64BE(BigInt(sequence))
  return encodeSigned({
    from: announcement.peerId,
    sequence: Uint8Array.from(eight),
    topic: topicOf(testSwarm, announcement.kind),
    data: encodeAnnouncement(announcement),
    signature: new Uint8Array(0),
    key: new Uint8Array(0),
  })
}

function cacheAt(round: number | null) {
  const view = { round }
  const cache = createAnnouncementCache({
    swarm: testSwarm,
    currentRound: () => view.round,
    maxBytes: () => 50_000,
  })
  const offer = (message: SignedMessage): string => {
    const checked = cache.check(message)
    if (checked.verdict === 'accept') cache.put(checked.value, message)
    return checked.verdict
  }
  return { cache, offer, view }
}

test('the latest of a kind, peer and round is kept, whatever the order of arrival', () => {
  const { cache, offer } = cacheAt(5)
  expect(offer(signed(2, { contentId: hash('amended') }))).toBe('accept')
  expect(offer(signed(1, { contentId: hash('first') }))).toBe('ignore')
  expect(offer(signed(2, { contentId: hash('amended') }))).toBe('ignore')
  expect(cache.of(5, 'rollouts').map(one => one.contentId)).toEqual([hash('amended')])
  expect(cache.of(5, 'scores')).toEqual([])
  expect(cache.signed(5, 5).length).toBe(1)
})

test('rounds too far from our view are ignored, and near ones are not', () => {
  const { offer } = cacheAt(20)
  expect(offer(signed(1, { round: 20 + topicRules.rollouts.latest }))).toBe('accept')
  expect(offer(signed(1, { round: 20 + topicRules.rollouts.latest + 1 }))).toBe('ignore')
  expect(offer(signed(1, { round: 20 + topicRules.rollouts.earliest }))).toBe('accept')
  expect(offer(signed(1, { round: 20 + topicRules.rollouts.earliest - 1 }))).toBe('ignore')
})

test('while the round is unknown, every round is taken', () => {
  expect(cacheAt(null).offer(signed(1, { round: 1_000_000 }))).toBe('accept')
})

test('a peer that amends too often is no longer heard in that round, and others are', () => {
  const { offer } = cacheAt(5)
  const limit = topicRules.rollouts.perPeerAndRound
  const verdicts = Array.from({ length: limit + 2 }, (_, index) => offer(signed(index + 1)))
  expect(verdicts.filter(verdict => verdict === 'accept').length).toBe(limit)
  expect(verdicts.at(-1)).toBe('ignore')
  expect(offer(signed(1, { peerId: 'other' }))).toBe('accept')
  expect(offer(signed(100, { round: 6 }))).toBe('accept')
})

test('holders of a bundle are known for as long as a score can be appealed to all seats', () => {
  const { cache, offer, view } = cacheAt(5)
  offer(signed(1))
  // The seventh round after, in which the last verdict is sealed.
  view.round = 12
  offer(signed(1, { round: 12 }))
  expect(cache.of(5, 'rollouts').length).toBe(1)
})

test('a round with more than 4,096 peers has a place for each', () => {
  const { cache, offer } = cacheAt(5)
  const verdicts = Array.from({ length: 5_000 }, (_, index) => offer(signed(1, { peerId: `peer ${index}` })))
  expect(new Set(verdicts)).toEqual(new Set(['accept']))
  expect(cache.of(5).length).toBe(5_000)
})

test('rounds that passed are forgotten', () => {
  const { cache, offer, view } = cacheAt(5)
  offer(signed(1))
  view.round = 50
  expect(cache.signed(0, 100)).toEqual([])
})

test('another swarm on the same chain is none of our business', () => {
  const { offer } = cacheAt(5)
  expect(offer({ ...signed(1), topic: topicOf({ ...testSwarm, deployment: 'ffffffff' }, 'rollouts') })).toBe('ignore')
})

test('a payload larger than the environment allows is ignored, and nobody pays: our view of the environment may be late', () => {
  const { cache, offer } = cacheAt(5)
  expect(cache.check(signed(1, { size: 50_001 }))).toMatchObject({ verdict: 'ignore', ours: true })
  expect(cache.of(5)).toEqual([])
  expect(offer(signed(2, { size: 50_000 }))).toBe('accept')
})
