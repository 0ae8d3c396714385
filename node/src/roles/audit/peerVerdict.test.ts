import { expect, test } from 'vitest'
import type { SettlementOutcome } from '#chain/votes/readSettlements.ts'
import { type PeerVerdict, peerVerdict } from './peerVerdict.ts'

type Case = [PeerVerdict, SettlementOutcome | null, number, number | null, 'proven' | 'refuted' | 'unchecked' | null]

test.each<Case>([
  ['agrees', 'scored', 700, 700, 'proven'],
  ['agrees', 'scored', 700, 725, 'proven'],
  ['differs', 'scored', 700, 726, 'proven'],
  ['agrees', 'scored', 0, 0, 'refuted'],
  ['differs', 'scored', 700, 0, 'refuted'],
  ['unchecked', 'scored', 700, 700, 'unchecked'],
  ['unchecked', 'scored', 700, null, null],
  ['unchecked', 'unavailable', 0, 700, 'proven'],
  ['unchecked', null, 0, 700, 'proven'],
  ['not scored', 'no quorum', 0, 700, 'proven'],
  ['not scored', 'withheld', 0, null, null],
])('%s: settled as %s %d, derived as %s with sampling %s', (verdict, outcome, scoreMilli, derivedMilli, result) => {
  const settled = outcome === null ? null : { outcome, scoreMilli }
  expect(peerVerdict(settled, derivedMilli, result === null ? null : { result })).toBe(verdict)
})
