import { expect, test } from 'vitest'
import { PEER_ROWS, type PeerAnswer } from '#sources/getPeerRecord.ts'
import { isOnlyJudge, isSolver, peerHistory, peerRoles, scoreSeries, settledScores } from './peerHistory.ts'

const empty: PeerAnswer = {
  clock: null,
  peer: null,
  judged: null,
  standings: { items: [] },
  evaluator: null,
  stakes: { items: [] },
  proposals: { items: [] },
  withheldSecrets: { items: [] },
  leafDemands: { items: [] },
  appealCases: { items: [] },
  rolloutCommitments: { items: [] },
  voteCommits: { items: [] },
  votes: { items: [] },
  settlements: { items: [] },
  purses: { items: [] },
  peerCredits: { items: [] },
  earnings: { items: [] },
}

const work = { ordinal: 40, root: '0x1', leafCount: 64, policyHash: '0x2', contentId: '0x3' } as const

const solver: PeerAnswer = {
  ...empty,
  rolloutCommitments: {
    items: [
      { round: 9, ...work },
      { round: 7, ...work },
      { round: 6, ...work },
    ],
  },
  votes: {
    items: [
      { round: 7, scoreMilli: 400 },
      { round: 7, scoreMilli: null },
    ],
  },
  settlements: {
    items: [
      { round: 7, outcome: 'scored', scoreMilli: 400, votes: 2, openChallenges: 1 },
      { round: 6, outcome: 'noQuorum', scoreMilli: 0, votes: 1, openChallenges: 0 },
    ],
  },
  earnings: {
    items: [
      { round: 6, source: 'opening', amountWei: '5' },
      { round: 6, source: 'task', amountWei: '7' },
    ],
  },
}

test('the work of a peer and its outcome are one row for each round, newest first', () => {
  const history = peerHistory(solver)
  expect(history.map(({ round }) => round)).toEqual([9, 7, 6])
  expect(history[1]).toEqual({
    round: 7,
    tasks: null,
    hasWithheld: false,
    rollouts: 64,
    shard: 1,
    voted: null,
    votesOnIt: [400, null],
    outcome: 'scored',
    scoreMilli: 400,
    isContested: true,
    challenges: [],
    earnings: [],
  })
  expect(history[2]?.earnings).toEqual([
    { source: 'opening', amountWei: '5' },
    { source: 'task', amountWei: '7' },
  ])
  expect(history[0]?.outcome).toBeNull()
  expect(history.map(({ isContested }) => isContested)).toEqual([false, true, false])
})

test('a round that a list of the index no longer holds is left out, since it would look like one without work', () => {
  const rounds = Array.from({ length: 500 }, (_, at) => 500 - at)
  const long = (seats: number, committed = 200): PeerAnswer => ({
    ...empty,
    rolloutCommitments: { items: rounds.slice(0, committed).map(round => ({ round, ...work })) },
    votes: { items: rounds.flatMap(round => Array(seats).fill({ round, scoreMilli: 500 })).slice(0, 1_000) },
    earnings: { items: rounds.map(round => ({ round, source: 'score' as const, amountWei: '1' })) },
  })
  const history = peerHistory(long(3))
  expect(history).toHaveLength(200)
  expect(history.every(({ rollouts, votesOnIt }) => rollouts === 64 && votesOnIt.length === 3)).toBe(true)
  // Of the round of its oldest votes, the list may lack some.
  expect(peerHistory(long(7)).map(({ votesOnIt }) => votesOnIt.length)).toEqual(Array(142).fill(7))
  // No list is full but that of the rows.
  expect(peerHistory(long(1, 150))).toHaveLength(200)
})

test('a chart has the scored rounds only, oldest first', () => {
  const [scored] = solver.settlements.items
  const unavailable = { round: 8, outcome: 'unavailable', scoreMilli: 0, votes: 2, openChallenges: 0 } as const
  const record = { ...solver, settlements: { items: scored ? [unavailable, scored] : [] } }
  expect(scoreSeries(peerHistory(record))).toEqual([{ round: 7, score: 0.4 }])
})

test('a withheld secret is seen with the round that it is for', () => {
  const [row] = peerHistory({
    ...empty,
    withheldSecrets: { items: [{ round: 4 }] },
  })
  expect(row).toMatchObject({ round: 4, tasks: null, hasWithheld: true })
})

test('demands and appeals name the round that they are about', () => {
  const appeals = { items: [{ level: 1, drawn: 11, openedMilli: Array<number>(6).fill(669) }] }
  const closed = { settledMilli: 0, finalMilli: 669, isClosed: true, isMoot: false, appeals }
  const [row] = peerHistory({
    ...empty,
    leafDemands: { items: [{ round: 4, index: 3, state: 'shown' }] },
    appealCases: { items: [{ round: 4, ...closed }] },
  })
  expect(row?.challenges).toEqual([
    'Leaf 3 was demanded on the chain, and shown',
    '11 seats replaced 0.00 points by 0.67',
  ])
})

test('demands of others hide no rounds, however many they are', () => {
  const demand = { round: 9, index: 3, state: 'open' } as const
  const record = {
    ...empty,
    proposals: { items: [{ round: 4, count: 2 }] },
    leafDemands: { items: Array<typeof demand>(PEER_ROWS).fill(demand) },
  }
  expect(peerHistory(record).map(({ round }) => round)).toEqual([9, 4])
})

test('an evaluator that never opened its votes is seen', () => {
  const history = peerHistory({ ...empty, voteCommits: { items: [{ round: 3, revealedAtSec: null }] } })
  expect(history).toMatchObject([{ round: 3, voted: 'sealed' }])
})

test('scores that can be appealed are those of votes, or of too few', () => {
  const outcomes = ['scored', 'unavailable', 'noQuorum', 'void', 'falseLeaf', 'withheld'] as const
  const items = outcomes.map((outcome, round) => ({ round, outcome, scoreMilli: 7, votes: 3, openChallenges: 0 }))
  const appeals = { items: [{ level: 1, drawn: 11, openedMilli: Array<number>(6).fill(0) }] }
  const open = { round: 1, settledMilli: 700, finalMilli: null, isClosed: false, isMoot: false, appeals }
  const record = { ...empty, settlements: { items }, appealCases: { items: [open] } }
  expect(settledScores(peerHistory(record), record).map(({ round, ruling }) => [round, ruling?.standingMilli])).toEqual(
    [
      [2, undefined],
      [1, 0],
      [0, undefined],
    ],
  )
})

test('roles are those of its deeds', () => {
  const evaluator = {
    fromRound: 0,
    untilRound: null,
    votesCommitted: 0,
    votesRevealed: 0,
    misses: 0,
    missedRound: null,
  }
  expect(peerRoles({ ...empty, evaluator })).toEqual(['evaluator'])
  expect(peerRoles(empty)).toEqual([])
})

test('a peer whose account opened games is a mere Judge only once its key counted for some rounds without a deed', () => {
  const peer = {
    ...{ peerKey: '0x1', peerId: '16U', name: 'bee', account: '0xa', registeredAtSec: 0, countsFromRound: 100 },
    ...{ roundsProposed: 0, roundsSolved: 0, roundsSettled: 0 },
  }
  const at = (latestRound: number, record: Partial<PeerAnswer> = {}): PeerAnswer => ({
    ...{ ...empty, peer, judged: { totalCount: 1, items: [] }, clock: { latestRound } },
    ...record,
  })
  const told = (record: PeerAnswer) => [isOnlyJudge(record), isSolver(record)]
  expect(told(at(101))).toEqual([false, true])
  expect(told(at(108))).toEqual([true, false])
  expect(told(at(108, { clock: null }))).toEqual([false, true])
  expect(told(at(108, { peer: { ...peer, roundsSolved: 1 } }))).toEqual([false, true])
  expect(told(at(108, { judged: null }))).toEqual([false, true])
  expect(peerRoles(at(101))).toEqual(['judge'])
})
