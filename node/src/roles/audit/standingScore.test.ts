import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { Ruling } from '#chain/challenges/rulings.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import { type PeerVerdict, peerVerdict } from './peerVerdict.ts'
import { type StandingScore, standingScore } from './standingScore.ts'

const peerKey = numberToHex(1, { size: 32 })
const appealed: Ruling = { kind: 'appealed', peerKey, level: 1, drawn: 3, block: 10, logIndex: 0 }
const closed = (scoreMilli: number, outcome: Settlement['outcome'] = 'scored'): Ruling[] => [
  appealed,
  { kind: 'closed', peerKey, outcome, scoreMilli, isMoot: false },
]
const lost: Ruling = { kind: 'lost', peerKey, outcome: 'false leaf' }

type Case = [
  what: string,
  settledMilli: number | null,
  rulings: Ruling[],
  derivedMilli: number,
  stands: [scoreMilli: number, decidedBy: StandingScore['decidedBy']] | null,
  verdict: PeerVerdict,
]

test('a jury that gives 0 to work that a committee could not get decides, and one that confirms does not', () => {
  const settled = { outcome: 'unavailable', scoreMilli: 0 } as const
  expect(standingScore(settled, closed(0))).toEqual({ outcome: 'scored', scoreMilli: 0, decidedBy: 'jury' })
  expect(standingScore(settled, closed(0, 'unavailable'))).toEqual({ ...settled, decidedBy: 'committee' })
})

test.each<Case>([
  ['a right score that nobody appealed', 800, [], 800, [800, 'committee'], 'agrees'],
  ['a right score under appeal', 800, [appealed], 800, [800, 'committee'], 'agrees'],
  ['a right score that a jury confirmed', 800, closed(800), 800, [800, 'committee'], 'agrees'],
  ['a right score that a jury took away', 800, closed(0), 800, [0, 'jury'], 'differs'],
  ['a false score that a jury corrected', 1000, closed(0), 0, [0, 'jury'], 'agrees'],
  ['a score that a jury could not find work for', 800, closed(0, 'unavailable'), 800, [0, 'jury'], 'unchecked'],
  ['a score that is annulled after settlement', 800, [lost], 800, [0, 'challenge'], 'not scored'],
  ['a score that is annulled during an appeal', 800, [...closed(700), lost], 800, [0, 'challenge'], 'not scored'],
  ['a peer that is annulled before settlement', null, [lost], 0, [0, 'challenge'], 'not scored'],
  ['a peer that is not settled', null, [], 800, null, 'unchecked'],
])('%s', (_, settledMilli, rulings, derivedMilli, stands, verdict) => {
  const settled = settledMilli === null ? null : ({ outcome: 'scored', scoreMilli: settledMilli } as const)
  const standing = standingScore(settled, rulings)
  expect(standing && [standing.scoreMilli, standing.decidedBy]).toEqual(stands)
  const sampling = { result: 'proven', reason: null } as const
  expect(peerVerdict({ standing, derivedMilli, sampling, unread: null }).verdict).toBe(verdict)
})
