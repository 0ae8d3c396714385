import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { JudgedAppeal } from '#chain/challenges/judgedAppeals.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { RoundFacts } from '../checking/scoreAgain.ts'
import type { PeerNode } from '../peerNode.ts'
import { type DisputeRecords, disputedBy, readDisputeRecords, recordDisputes } from './disputeRecords.ts'

const seat = (number: number) => `0x${String(number).padStart(64, '0')}` as PeerKey
/** By number of its seat. */
const ballots = (...votes: number[]) => votes.map((vote, at) => ({ seatKey: seat(at), vote }))
const scored = (scoreMilli: number) => ({ outcome: 'scored', scoreMilli }) as const
const jury = (found: number, votes = 11) => ({ verdicts: new Array<number>(votes).fill(found), drawn: 11 })

test('scores that clearly differ from what was settled dispute it, and bundles that were not found do not', () => {
  expect(disputedBy(ballots(500, 450, 551, 1000, UNAVAILABLE), 500, new Map())).toBe(2)
})

test('a seat that a jury contradicted disputes nothing, until another jury upholds it', () => {
  const records: DisputeRecords = new Map()
  const cast = ballots(500, 500, 500, 1000, 1000)
  recordDisputes(records, cast, scored(500), jury(510))
  expect(disputedBy(cast, 500, records)).toBe(0)
  recordDisputes(records, ballots(0, 0, 0, 1000), scored(0), jury(1000))
  expect([...records]).toEqual([
    [seat(3), 0],
    [seat(4), 1],
  ])
  expect(disputedBy(cast, 500, records)).toBe(1)
})

test('a case that too few jurors read discredits nobody, and neither does one whose bundle most of them did not find', () => {
  const records: DisputeRecords = new Map()
  recordDisputes(records, ballots(500, 1000), scored(500), jury(500, 5))
  recordDisputes(records, ballots(500, 1000), scored(500), jury(UNAVAILABLE))
  expect(records.size).toBe(0)
})

test('a peer that serves its work to some seats, and then to the jury, restores no record', () => {
  const records: DisputeRecords = new Map([[seat(3), 1]])
  const cast = ballots(UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, 900)
  recordDisputes(records, cast, { outcome: 'unavailable', scoreMilli: 0 }, jury(900))
  recordDisputes(records, ballots(900, 900), { outcome: 'no quorum', scoreMilli: 0 }, jury(900))
  expect([...records]).toEqual([[seat(3), 1]])
  recordDisputes(records, cast, { outcome: 'unavailable', scoreMilli: 0 }, jury(0))
  expect([...records]).toEqual([[seat(3), 2]])
})

test('the records are of the verdicts of eight rounds, on the scores as the chain settled them', async () => {
  const [peerKey, other] = [seat(100), seat(101)]
  const asked: { first: number; last: number }[] = []
  const appeals: JudgedAppeal[] = [
    { round: 4, peerKey, ...jury(400) },
    { round: 4, peerKey: other, ...jury(200) },
  ]
  const chain = {
    readJudgedAppeals: async (rounds: { first: number; last: number }) => {
      asked.push(rounds)
      return appeals
    },
  }
  // Seat 4 votes on a peer of its own account, which settlement leaves out: the median of all five votes would be 800.
  const votes = [400, 400, 800, 800, 1000].map((scoreMilli, at) => ({
    evaluatorKey: seat(at),
    shard: 0,
    scoresMilli: [scoreMilli, 200],
  }))
  const settlements = [
    { peerKey, ...scored(400) },
    { peerKey: other, ...scored(200) },
  ]
  const facts = {
    commitments: async () => [
      { peerKey, ordinal: 0 },
      { peerKey: other, ordinal: 1 },
    ],
    votes: async () => votes,
    settlements: async () => settlements,
  } as unknown as RoundFacts
  const records = await readDisputeRecords({ chain } as unknown as PeerNode, facts, 9)
  expect(asked).toEqual([{ first: 2, last: 9 }])
  expect([...records]).toEqual([
    [seat(2), 1],
    [seat(3), 1],
    [seat(4), 1],
  ])
})
