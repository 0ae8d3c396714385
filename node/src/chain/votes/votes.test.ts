import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { type Ballot, voteCommitment, voteSalt } from './votes.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const place = { chainId: 31337, rewardVotes: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' } as const
const ballot: Ballot = {
  round: 3n,
  shard: 1,
  position: 2,
  evaluatorKey: word('01'),
  scoresMilli: [500],
  componentRoots: [word('03')],
  contentId: word('04'),
}

test('a salt is the same after a restart, and another for every ballot and account', () => {
  const salt = voteSalt(word('05'), place, ballot)
  const lower = { ...place, rewardVotes: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045' } as const
  const rescored: Ballot = { ...ballot, scoresMilli: [1] }
  expect(voteSalt(word('05'), lower, rescored)).toBe(salt)
  const others = [
    voteSalt(word('06'), place, ballot),
    voteSalt(word('05'), { ...place, chainId: 1 }, ballot),
    voteSalt(word('05'), place, { ...ballot, round: 4n }),
    voteSalt(word('05'), place, { ...ballot, shard: 0 }),
    voteSalt(word('05'), place, { ...ballot, evaluatorKey: word('07') }),
  ]
  expect(new Set([salt, ...others]).size).toBe(6)
})

test('a commitment changes with place, ballot and salt', () => {
  const changed: Partial<Ballot>[] = [
    {},
    { round: 4n },
    { shard: 0 },
    { position: 0 },
    { evaluatorKey: word('07') },
    { scoresMilli: [501] },
    { componentRoots: [word('07')] },
    { contentId: word('07') },
  ]
  const commitments = changed.map(change => voteCommitment(place, { ...ballot, ...change }, word('05')))
  commitments.push(
    voteCommitment(place, ballot, word('06')),
    voteCommitment({ ...place, chainId: 1 }, ballot, word('05')),
  )
  expect(new Set(commitments).size).toBe(commitments.length)
})
