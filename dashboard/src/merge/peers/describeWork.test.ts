import { expect, test } from 'vitest'
import type { PeerAnswer } from '#sources/getPeerRecord.ts'
import { describeWork } from './describeWork.ts'

const none = { items: [] }
const record: PeerAnswer = {
  ...{ clock: null, peer: null, judged: null, evaluator: null, standings: none, stakes: none, proposals: none },
  ...{ withheldSecrets: none, leafDemands: none, appealCases: none, rolloutCommitments: none, voteCommits: none },
  ...{ votes: none, settlements: none, purses: none, peerCredits: none, earnings: none },
}

test('a seat is told by its rounds, or as one that its evaluator left before it began', () => {
  const votes = { votesCommitted: 2, votesRevealed: 1, misses: 0, missedRound: null }
  const told = (fromRound: number, untilRound: number | null) =>
    describeWork({ ...record, evaluator: { fromRound, untilRound, ...votes } })
  expect(told(0, null)).toBe('Evaluator, seated since round 0; opened 1 of 2 sealed votes.')
  expect(told(0, 40)).toBe('Evaluator, seated from round 0 until round 40; opened 1 of 2 sealed votes.')
  expect(told(720, 40)).toBe('Evaluator, left before its seat began; opened 1 of 2 sealed votes.')
})
