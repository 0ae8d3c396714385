import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { type Ballot, voteCommitment, voteSalt } from './voteCommitment.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const ballot: Ballot = {
  chainId: 31337,
  rewardVotes: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  round: 3,
  evaluatorKey: word('01'),
}
const votes = { peerKeys: [word('02')], scoresMilli: [500], componentRoots: [word('03')], contentId: word('04') }

test('a salt is the same after a restart, and another for every ballot and account', () => {
  const salt = voteSalt(word('05'), ballot)
  expect(voteSalt(word('05'), { ...ballot, rewardVotes: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045' })).toBe(salt)
  const others = [
    voteSalt(word('06'), ballot),
    voteSalt(word('05'), { ...ballot, round: 4 }),
    voteSalt(word('05'), { ...ballot, chainId: 1 }),
    voteSalt(word('05'), { ...ballot, evaluatorKey: word('07') }),
  ]
  expect(new Set([salt, ...others]).size).toBe(5)
})

test('a commitment changes with ballot, votes and salt', () => {
  const commitments = [
    voteCommitment(ballot, votes, word('05')),
    voteCommitment(ballot, votes, word('06')),
    voteCommitment({ ...ballot, round: 4 }, votes, word('05')),
    voteCommitment(ballot, { ...votes, scoresMilli: [501] }, word('05')),
    voteCommitment(ballot, { ...votes, contentId: word('07') }, word('05')),
  ]
  expect(new Set(commitments).size).toBe(5)
})
