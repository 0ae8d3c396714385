import { SHARD_PEERS } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { createPayloadQuota, defaultQuotas } from './payloadQuota.ts'

test('many peers that fill the store leave something for one that comes after them', () => {
  const quota = createPayloadQuota({ totalBytes: 1600, peerBytes: 400, kindShares: {} })
  const owner = (digits: string) => ({ peerKey: `0x${digits.padEnd(64, '0')}` as Hex, kind: 'rollouts' })
  let kept = 0
  for (let round = 0; round < 30; round++)
    for (let peer = 0; peer < 16; peer++) {
      const gone = quota.roomFor(owner(peer.toString(16)), round, 10)
      if (gone === null) continue
      for (const payload of gone) quota.remove(payload)
      const contentId: Hex = `0x${String(kept++).padStart(64, '0')}`
      quota.add({ contentId, round, bytes: 10, owner: owner(peer.toString(16)) })
    }
  expect(kept).toBeGreaterThan(160)
  expect(quota.roomFor(owner('ab'), 1, 40)).toEqual([])
})

test('parts of one round stay together, and only older payloads go for one more', () => {
  const quota = createPayloadQuota({ totalBytes: 8_000, peerBytes: 100, kindShares: {} })
  const owner = { peerKey: `0x${'a'.repeat(64)}` as Hex, kind: 'scores' }
  const put = (round: number, part: number) => {
    const gone = quota.roomFor(owner, round, 30)
    for (const payload of gone ?? []) quota.remove(payload)
    const contentId: Hex = `0x${String(10 * round + part).padStart(64, '0')}`
    if (gone !== null) quota.add({ contentId, round, bytes: 30, owner })
    return gone?.map(payload => payload.round) ?? null
  }
  expect([put(1, 0), put(2, 0), put(2, 1)]).toEqual([[], [], []])
  expect([put(2, 2), put(2, 3)]).toEqual([[1], null])
})

test('a seat still has the adapters of half a billion parameters that it scored by when a jury asks for them', () => {
  const quota = createPayloadQuota(defaultQuotas)
  const kept = new Set<Hex>()
  const idOf = (round: number, peer: number): Hex => `0x${String(100 * round + peer).padStart(64, '0')}`
  for (let round = 0; round < 8; round++)
    for (let peer = 0; peer < SHARD_PEERS; peer++) {
      const owner = { peerKey: `0x${String(peer).padStart(64, '0')}` as Hex, kind: 'policy' }
      for (const payload of quota.roomFor(owner, round, 35_200_000) ?? []) {
        quota.remove(payload)
        kept.delete(payload.contentId)
      }
      const contentId = idOf(round, peer)
      quota.add({ contentId, round, bytes: 35_200_000, owner })
      kept.add(contentId)
    }
  // A jury reads work of round r again in r + 4, when seats have fetched that of r + 3.
  const missing = [4, 5, 6, 7].flatMap(round =>
    Array.from({ length: SHARD_PEERS }, (_, peer) => idOf(round, peer)).filter(contentId => !kept.has(contentId)),
  )
  expect(missing).toEqual([])
})
