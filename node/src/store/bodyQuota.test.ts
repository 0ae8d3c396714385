import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { createBodyQuota } from './bodyQuota.ts'

test('many peers that fill the store leave something for one that comes after them', () => {
  const quota = createBodyQuota({ totalBytes: 1600, peerBytes: 400, kindShares: {} })
  const owner = (digits: string) => ({ peerKey: `0x${digits.padEnd(64, '0')}` as Hex, kind: 'rollouts' })
  let kept = 0
  for (let round = 0; round < 30; round++)
    for (let peer = 0; peer < 16; peer++) {
      const gone = quota.roomFor(owner(peer.toString(16)), round, 10)
      if (gone === null) continue
      for (const body of gone) quota.remove(body)
      const contentId: Hex = `0x${String(kept++).padStart(64, '0')}`
      quota.add({ contentId, round, bytes: 10, owner: owner(peer.toString(16)) })
    }
  expect(kept).toBeGreaterThan(160)
  expect(quota.roomFor(owner('ab'), 1, 40)).toEqual([])
})
