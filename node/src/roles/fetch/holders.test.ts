import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Announcement } from '#p2p/gossip/announcement.ts'
import { holdersOf } from './holders.ts'

const [author, other, connected] = ['16Uiu2HAmAuthor', '16Uiu2HAmOther', '16Uiu2HAmConnected']
const id = (byte: string): Hex => `0x${byte.repeat(32)}`
const wanted = { kind: 'rollouts', round: 5, contentId: id('01'), peerKey: peerKeyOf(author) } as const

function asked(announced: Partial<Announcement>[]) {
  const announcements = () => announced as Announcement[]
  const network = { peerId: 'self', announcements, connectedPeers: () => [connected] }
  return holdersOf(network, wanted).map(({ peerId, isAuthor, maxBytes }) => ({ peerId, isAuthor, maxBytes }))
}

test('an author is asked first that has announced another payload since, as one does whose amendment came too late', () => {
  const announced = [
    { peerId: other, contentId: id('01'), size: 10 },
    { peerId: author, contentId: id('02'), size: 20 },
  ]
  expect(asked(announced)).toEqual([
    { peerId: author, isAuthor: true, maxBytes: undefined },
    { peerId: other, isAuthor: false, maxBytes: 10 },
    { peerId: connected, isAuthor: false, maxBytes: undefined },
  ])
  expect(asked(announced.slice(0, 1)).map(({ peerId }) => peerId)).toEqual([other, connected])
})
