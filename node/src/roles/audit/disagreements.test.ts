import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { Ruling } from '#chain/challenges/rulings.ts'
import { peerFault } from '../fetch/peerResult.ts'
import { findDisagreements } from './disagreements.ts'

const key = (number: number) => numberToHex(number, { size: 32 })

const modules = {
  ...{ chainId: 1, round: 4, signal: new AbortController().signal },
  payloads: { fetch: async () => peerFault('unavailable', 'nobody serves it') },
  nameOf: async (peerKey: string) => `name of ${Number(peerKey)}`,
}
const vote = (seat: number, shard: number, scoreMilli: number) => ({
  ...{ evaluatorKey: key(seat), shard, scoresMilli: [scoreMilli] },
  ...{ position: 0, contentId: key(9), componentRoots: [], block: 0 },
})
const verdict = (seat: number, level: number, scoreMilli: number): Ruling => ({
  ...{ kind: 'verdict', peerKey: key(1), seatKey: key(seat) },
  ...{ level, scoreMilli },
})

test('seats of the committee and of juries are named whose scores are outside the tolerance', async () => {
  const peer = { peerKey: key(1), name: 'peer', ordinal: 0, derivedMilli: 800, leaves: [] }
  const told = {
    votes: [vote(2, 0, 0), vote(3, 0, 825), vote(4, 0, UNAVAILABLE), vote(5, 1, 0)],
    rulings: [verdict(6, 1, 0), verdict(7, 1, 790), verdict(8, 1, UNAVAILABLE), verdict(6, 2, 500)],
  }
  const found = async (result: 'proven' | 'unchecked') =>
    (await findDisagreements(modules, { ...peer, sampling: { result } }, told)).map(
      ({ name, level, voteMilli, difference }) => [name, level, voteMilli, difference],
    )
  const second = ['name of 6', 2, 500, null]
  expect(await found('proven')).toEqual([['name of 2', 0, 0, null], ['name of 6', 1, 0, null], second]) // biome-ignore format: a row
  // A seat that refuted the sampling may have had what is missing here.
  expect(await found('unchecked')).toEqual([second])
})
