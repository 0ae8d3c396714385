import { PeerScore } from '@chainsafe/libp2p-gossipsub/score'
import { expect, test } from 'vitest'
import { scoreParams } from './topicScore.ts'

test('a crowd of ids that comes from the address of a relay costs the relay nothing, nor who comes through it', () => {
  const params = scoreParams([], () => 0)
  const log = Object.assign(() => {}, { error() {}, trace() {}, enabled: false, newScope: () => log })
  const score = new PeerScore(params, null, { forComponent: () => log }, { scoreCacheValidityMs: 0 })
  const join = (peerId: string) => {
    score.addPeer(peerId)
    score.addIP(peerId, '203.0.113.9')
  }
  for (const peerId of ['relay', 'behind it']) join(peerId)
  for (let i = 0; i < 100; i++) {
    join(`throwaway ${i}`)
    score.removePeer(`throwaway ${i}`)
  }
  expect(['relay', 'behind it'].map(peerId => score.score(peerId))).toEqual([0, 0])
})
