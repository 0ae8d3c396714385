import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { encodeScoreSheet } from '#core/payloads/payloads.ts'
import { peerFault } from '../fetch/peerResult.ts'
import { createLackingSeats } from './lackingSeats.ts'

const word = <T extends Hex>(byte: string) => `0x${byte.repeat(32)}` as T
const [CHAIN_ID, ROUND, BASE] = [31_337, 4, word<Hex>('ba')]
const peerKeys = ['01', '02', '03'].map(byte => word<PeerKey>(byte))

/** A seat that voted on all peers: unavailable on the first two, for want of a base. */
const voteOf = (byte: string) =>
  ({
    ...{ evaluatorKey: word<PeerKey>(byte), contentId: word(byte), shard: 0 },
    scoresMilli: [UNAVAILABLE, UNAVAILABLE, 500],
  }) as unknown as RevealedVotes

const sheetOf = (evaluatorKey: PeerKey) =>
  encodeScoreSheet({
    ...{ v: 1, chainId: CHAIN_ID, round: ROUND, evaluatorKey },
    peers: peerKeys.slice(0, 2).map(peerKey => ({ peerKey, scoreMilli: UNAVAILABLE, leaves: [], lacksBase: BASE })),
  })

test('each score sheet is read once for all unavailable peers, also one that nobody serves', async () => {
  const asked: PeerKey[] = []
  const payloads = {
    async fetch({ peerKey }: { peerKey: PeerKey }) {
      asked.push(peerKey)
      const isServed = peerKey !== word('e3')
      return isServed ? ({ ok: true, value: sheetOf(peerKey) } as const) : peerFault('unavailable', 'nobody has it')
    },
  }
  const votes = ['e1', 'e2', 'e3'].map(voteOf)
  const { signal } = new AbortController()
  const lackingSeats = createLackingSeats({ chainId: CHAIN_ID, round: ROUND, payloads, signal }, votes)
  const found = []
  for (const [ordinal, peerKey] of peerKeys.entries()) found.push(await lackingSeats({ peerKey, ordinal }))
  expect(found).toEqual([{ base: BASE, seats: 2, of: 3 }, { base: BASE, seats: 2, of: 3 }, null])
  expect(asked).toEqual(votes.map(({ evaluatorKey }) => evaluatorKey))
})
