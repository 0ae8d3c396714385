import { expect, test } from 'vitest'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { challengeRows, challengesLeftOut } from './challengeRows.ts'

const peer = { peerId: '16Uiu2', name: 'three word name' }
const found = { peerKey: '0x01', settledMilli: 300, finalMilli: null, isClosed: false, isMoot: false, peer }
const appeals = { items: [{ drawn: 11, openedMilli: [] }] }

const none = { totalCount: 0, items: [] }
const only = <T>(item: T) => ({ totalCount: 1, items: [item] })

function rows(changes: Partial<Pick<RoundAnswer, 'withheldSecrets' | 'leafDemands' | 'appealCases'>>) {
  return challengeRows({ ...{ withheldSecrets: none, leafDemands: none, appealCases: none }, ...changes }).map(
    ({ text }) => text,
  )
}

test('a withheld secret says what its proposer lost', () => {
  const of = (lostWei: string) => rows({ withheldSecrets: only({ peerKey: '0x01', lostWei, peer }) })
  expect(of('0')).toEqual(['withheld its secret, and proposed nothing'])
  expect(of(`5${'0'.repeat(17)}`)).toEqual([
    'withheld its secret, and proposed nothing: 0.50 Nectar of its stake are burnt',
  ])
})

test('a demand says the outcome of the leaf', () => {
  const leafDemands = only({ peerKey: '0x01', index: 3, state: 'withheld' as const, peer })
  expect(rows({ leafDemands })).toEqual(['Leaf 3 was demanded on the chain, withheld, and the round is lost'])
})

test('an appeal is told in words', () => {
  expect(rows({ appealCases: only({ ...found, appeals }) })).toEqual(['Its 0.30 points are appealed to 11 seats'])
})

test('challenges of which the index gives the first alone are counted', () => {
  const leafDemands = { totalCount: 53, items: [{ peerKey: '0x01', index: 3, state: 'open' as const, peer }] }
  const appealCases = only({ ...found, appeals })
  expect(challengesLeftOut({ withheldSecrets: none, leafDemands, appealCases })).toBe(52)
})
