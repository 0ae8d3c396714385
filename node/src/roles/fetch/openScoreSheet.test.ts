import { expect, test } from 'vitest'
import type { PeerKey } from '#core/hashes.ts'
import { payloadsHere } from '#core/payloads/payloads.ts'
import { readPeerScore } from './openScoreSheet.ts'

const key = (digit: number): PeerKey => `0x${String(digit).repeat(64)}` as PeerKey
const [seat, peer, stranger] = [{ chainId: 1, round: 4, evaluatorKey: key(1) }, key(2), key(3)]
const entry = { peerKey: peer, scoreMilli: 500, leaves: [{ index: 3, components: { correct: 500 }, scoreMilli: 500 }] }
const sealed = async (of: Partial<typeof seat> = {}) =>
  (await payloadsHere.seal('scores', { v: 1, ...seat, ...of, peers: [entry] })).bytes

test("a seat's score sheet has the scores of its peers", async () => {
  expect(await readPeerScore(await sealed(), seat, peer)).toEqual(entry)
  expect(await readPeerScore(await sealed(), seat, stranger)).toBeNull()
})

test('the score sheet of another evaluator, round or chain is not the one of the seat, nor are other bytes', async () => {
  for (const other of [{ evaluatorKey: stranger }, { round: 5 }, { chainId: 2 }])
    expect(await readPeerScore(await sealed(other), seat, peer)).toBeNull()
  expect(await readPeerScore(Uint8Array.of(1), seat, peer)).toBeNull()
})
