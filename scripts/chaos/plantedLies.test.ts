import { expect, test } from 'vitest'
import type { PeerScore } from '../../node/src/core/payloads/payloads.ts'
import type { Disagreement, RoundAudit } from '../../node/src/roles/audit/auditRound.ts'
import { lieAbout } from './lyingEvaluator.ts'
import { compareLies } from './plantedLies.ts'

const disagreement = (evaluatorKey: `0x${string}`, peerKey: `0x${string}`): Disagreement => ({
  ...{ evaluatorKey, peerKey, name: 'e', peerName: 's', voteMilli: 900, derivedMilli: 600, difference: null },
})
const audit = (round: number, ...disagreements: Disagreement[]): RoundAudit => ({
  ...{ round, tasks: 1, peers: [], disagreements },
})

test('a lie counts as found once, and a true vote that is called one is a false alarm', () => {
  const planted = [1, 2].map(round => ({ round, evaluatorKey: '0xe1', peerKey: '0xa1' }) as const)
  const audits = [audit(1, disagreement('0xe1', '0xa1'), disagreement('0xe2', '0xa1')), audit(2)]
  expect(compareLies(planted, audits)).toEqual({
    ...{ planted: 2, found: 1, falseAlarms: ['round 1: e voted 900 on s, of 600 by the audit'] },
  })
})

test('votes that may be lies or not count as neither', () => {
  const planted = [{ round: 2, evaluatorKey: '0xe1', peerKey: '0xa1' } as const]
  const audits = [audit(1, disagreement('0xe1', '0xa1')), audit(2, disagreement('0xe1', '0xa1'))]
  const found = compareLies(planted, audits, { round: 1, evaluatorKey: '0xe1' })
  expect(found).toEqual({ planted: 1, found: 1, falseAlarms: [] })
})

test('every lie is further off than votes may differ by, with all leaves, one or none', () => {
  const leaf = (index: number) => ({ index, components: { correct: 400 }, scoreMilli: 400 })
  const score: PeerScore = { peerKey: '0x01', scoreMilli: 600, leaves: [leaf(0), leaf(1), leaf(2)] }
  const told = [1, 2, 3].map(() => lieAbout(score))
  expect(told.map(({ scoreMilli }) => scoreMilli)).toEqual([300, 300, 300])
  expect(told.map(({ leaves }) => leaves.filter(({ scoreMilli }) => scoreMilli !== 400).length)).toEqual([3, 1, 0])
})
