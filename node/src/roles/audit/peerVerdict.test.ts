import { expect, test } from 'vitest'
import type { SettlementOutcome } from '#chain/votes/readSettlements.ts'
import { compareScores, type PeerVerdict, peerVerdict } from './peerVerdict.ts'

const [missing, untold] = ['unavailable: author: unreachable', 'unavailable: another: not-found']

type Case = [
  PeerVerdict,
  string | null,
  SettlementOutcome | null,
  number,
  number | null,
  'proven' | 'refuted' | 'unchecked' | null,
]

test.each<Case>([
  ['agrees', null, 'scored', 700, 700, 'proven'],
  ['agrees', null, 'scored', 700, 725, 'proven'],
  ['differs', null, 'scored', 700, 726, 'proven'],
  ['agrees', null, 'scored', 0, 0, 'refuted'],
  ['differs', null, 'scored', 700, 0, 'refuted'],
  ['unchecked', untold, 'scored', 700, 700, 'unchecked'],
  ['unchecked', missing, 'scored', 700, null, null],
  ['unchecked', 'its committee could not get its work', 'unavailable', 0, 700, 'proven'],
  ['unchecked', 'it is not settled', null, 0, 700, 'proven'],
  ['not scored', null, 'no quorum', 0, 700, 'proven'],
  ['not scored', null, 'withheld', 0, null, null],
])('%s (%s): settled as %s %d, derived as %s with sampling %s', (...of) => {
  const [verdict, reason, outcome, scoreMilli, derivedMilli, result] = of
  const standing = outcome === null ? null : { outcome, scoreMilli, decidedBy: 'committee' as const }
  const sampling = result && { result, reason: result === 'proven' ? null : untold }
  const unread = result === null ? missing : null
  expect(peerVerdict({ standing, derivedMilli, sampling, unread })).toEqual({ verdict, reason })
})

test('work that a jury could not get is unchecked, too', () => {
  const standing = { outcome: 'unavailable', scoreMilli: 0, decidedBy: 'jury' } as const
  const proven = { result: 'proven', reason: null } as const
  const reason = 'its jury could not get its work'
  expect(peerVerdict({ standing, derivedMilli: 800, sampling: proven, unread: null })).toEqual({
    verdict: 'unchecked',
    reason,
  })
})

const leaf = (index: number, components: Record<string, number>) => ({ index, components, scoreMilli: 0 })

test('the leaf and the component that differ most are named, with what was expected and found', () => {
  const expected = [leaf(3, { code: 1000, correctness: 400 }), leaf(9, { code: 1000, correctness: 500 })]
  const near = [leaf(3, { code: 1000, correctness: 380 }), leaf(9, { code: 1000, correctness: 900 })]
  expect(compareScores(near, expected)).toEqual({
    leaf: 9,
    component: 'correctness',
    expectedMilli: 500,
    foundMilli: 900,
  })
  expect(compareScores(expected, expected)).toBeNull()
  // A penalty that one of the two does not know, and a leaf that was left out.
  expect(
    compareScores([leaf(3, { code: 1000, correctness: 400, penalty: -900 }), expected[1] ?? leaf(9, {})], expected),
  ).toEqual({ leaf: 3, component: 'penalty', expectedMilli: 0, foundMilli: -900 })
  expect(compareScores([leaf(3, { code: 1000, correctness: 400 })], expected)).toMatchObject({
    leaf: 9,
    foundMilli: null,
  })
})

test('a component that is named as what every object has is found like any other', () => {
  const found = [leaf(3, { code: 1000, constructor: 700 })]
  const difference = { leaf: 3, component: 'constructor', expectedMilli: 0, foundMilli: 700 }
  expect(compareScores(found, [leaf(3, { code: 1000 })])).toEqual(difference)
})
