import { expect, test } from 'vitest'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { payRows } from './payRows.ts'

const peer = (name: string) => ({ peerId: `16${name}`, name })
const empty = { items: [] }
const none = { totalCount: 0, items: [] }
const opening = { shard: 0, peerKey: '0xa', index: 9, scoreMilli: 780 }
const record: RoundAnswer = {
  ...{ round: null, voteCommits: empty, votes: empty },
  ...{ withheldSecrets: none, leafDemands: none, appealCases: none, evaluatorSeats: none },
  committee: null,
  roundPeers: {
    items: [{ peerKey: '0xa', ...peer('amber'), leafCount: 64, outcome: null, scoreMilli: null, openChallenges: 0 }],
  },
  openings: {
    items: [
      { ...opening, evaluatorKey: '0x1', evaluator: peer('early'), paidWei: `40${'0'.repeat(18)}` },
      { ...opening, evaluatorKey: '0x2', evaluator: peer('elder'), paidWei: '0' },
      { ...opening, shard: 1, evaluatorKey: '0x3', evaluator: peer('eager'), paidWei: null },
    ],
  },
  taskPays: {
    items: [{ shard: 0, proposerKey: '0x9', proposer: peer('keen'), amountWei: `7${'0'.repeat(19)}` }],
  },
}

test('for each shard the page names the peers that the report paid, in words that follow a name', () => {
  expect(payRows(record).map(({ peer: { name }, text }) => `${name} ${text}`)).toEqual([
    'early gave leaf 9 of amber 780 of 1000, paid 40.00 Nectar',
    'elder gave leaf 9 of amber 780 of 1000, and is not paid',
    'keen proposed the task of that leaf, paid 70.00 Nectar',
    'eager gave leaf 9 of amber 780 of 1000, not closed yet',
  ])
})
