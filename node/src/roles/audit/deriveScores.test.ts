import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { Ruling } from '#chain/challenges/rulings.ts'
import type { RoundVotes } from '#chain/record/openRounds.ts'
import type { Hex } from '#core/hex.ts'
import { deriveScores } from './deriveScores.ts'

const key = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`
const peer = key(0xa)
const seats = [1, 2, 3, 4, 5].map(key)

/** A round of one peer, as the chain would tell of it. */
function derive(scores: readonly number[], changes: Partial<RoundVotes> = {}, accountAt = (of: Hex): Hex | null => of) {
  const votes: RoundVotes = {
    beacon: key(0xbe),
    beaconBefore: key(0xbd),
    ordinals: new Map([[peer, 0]]),
    ballots: scores.map((score, at) => ({ evaluatorKey: seats[at] as Hex, shard: 0, scoresMilli: [score] })),
    settlements: [{ peerKey: peer, scoreMilli: 500, votes: scores.length, outcome: 'scored', block: 9, logIndex: 0 }],
    rulings: [],
    ...changes,
  }
  const { scores: derived, findings } = deriveScores({
    ...{ chainId: 1, round: 4, votes, seats, accountAt },
  })
  return { scoreMilli: derived.get(peer), says: findings.map(({ says }) => says) }
}

test('a score is the lower median of the ballots, and one that was settled otherwise is found', () => {
  expect(derive([700, 500, 400, 900])).toEqual({ scoreMilli: 500, says: [] })
  expect(derive([700, 510, 400])).toEqual({
    scoreMilli: 510,
    says: ['was settled as 500, and its votes come to 510'],
  })
})

test('a vote of the own account counts nothing, too few decide nothing, and most unavailable is 0', () => {
  const own = (of: Hex) => (of === key(3) ? peer : of)
  expect(derive([500, 500, 1000], {}, own).says).toEqual(["was settled as 500, and its votes come to 'no quorum'"])
  expect(derive([500, UNAVAILABLE, UNAVAILABLE]).says).toEqual([
    "was settled as 500, and its votes come to 'unavailable'",
  ])
})

test('a ballot from outside the committee, and a round that is void, are found', () => {
  const stranger = { evaluatorKey: key(9), shard: 0, scoresMilli: [500] }
  const ballots = seats.slice(0, 3).map(evaluatorKey => ({ evaluatorKey, shard: 0, scoresMilli: [500] }))
  expect(derive([], { ballots: [...ballots, stranger] }).says).toEqual([
    'voted on shard 0 without a seat on its committee',
  ])
  expect(derive([500, 500, 500], { beacon: null }).says).toContain("was settled as 500, and its votes come to 'void'")
})

test('rulings come after: a lost round is 0, and an appeal comes to what its verdicts do', () => {
  const lost: Ruling = { kind: 'lost', peerKey: peer, outcome: 'false leaf' }
  expect(derive([500, 500, 500], { rulings: [lost] })).toEqual({ scoreMilli: 0, says: [] })
  const verdict = (scoreMilli: number): Ruling => ({
    kind: 'verdict',
    peerKey: peer,
    level: 1,
    seatKey: key(1),
    scoreMilli,
  })
  const appealed: Ruling = { kind: 'appealed', peerKey: peer, level: 1, drawn: 3, block: 10, logIndex: 0 }
  const ofEleven: Ruling = { ...appealed, drawn: 11 }
  const closed = (scoreMilli: number): Ruling => ({
    kind: 'closed',
    peerKey: peer,
    outcome: 'scored',
    scoreMilli,
    isMoot: false,
  })
  const verdictsOf = (verdicts: number[], final: number, cast = [500, 500, 500], accountAt = (of: Hex) => of) =>
    derive(cast, { rulings: [appealed, ...verdicts.map(verdict), closed(final)] }, accountAt)
  expect(verdictsOf([800, 700], 700)).toEqual({ scoreMilli: 700, says: [] })
  // Too few, and too near.
  expect(verdictsOf([800], 500)).toEqual({ scoreMilli: 500, says: [] })
  expect(verdictsOf([510, 525], 500)).toEqual({ scoreMilli: 500, says: [] })
  // A jury that finds nothing takes away what a seat of the committee did not find either.
  const none = [UNAVAILABLE, UNAVAILABLE]
  expect(verdictsOf(none, 500)).toEqual({ scoreMilli: 500, says: [] })
  expect(verdictsOf(none, 0, [500, 500, 500, UNAVAILABLE])).toEqual({ scoreMilli: 0, says: [] })
  // A seat never reads its own account's work.
  const own = (of: Hex) => (of === key(4) ? peer : of)
  expect(verdictsOf(none, 500, [500, 500, 500, UNAVAILABLE], own)).toEqual({ scoreMilli: 500, says: [] })
  // Of eleven, those that said nothing count for what stands.
  const sixOf = (scores: number[], final: number, cast = [500, 500, 500, UNAVAILABLE]) =>
    derive(cast, { rulings: [ofEleven, ...scores.map(verdict), closed(final)] }).says
  expect(sixOf([0, 0, 0, 0, 0, 500], 500)).toEqual([])
  expect(sixOf([0, 0, 0, 0, 0, 0], 0)).toEqual([])
  expect(sixOf([...none, ...none, UNAVAILABLE, 500], 500)).toEqual([])
  expect(sixOf([...none, ...none, ...none], 0)).toEqual([])
  expect(verdictsOf([800, 700], 900)).toEqual({
    scoreMilli: 700,
    says: ['was given 900 on appeal, and the verdicts come to 700'],
  })
})
