import { expect, test } from 'vitest'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { voteTable } from './voteTable.ts'

const peer = (name: string) => ({ peerId: `id of ${name}`, name })

const record: RoundAnswer = {
  round: null,
  proposals: { items: [] },
  rolloutCommitments: {
    items: [
      { peerKey: '0xa', leafCount: 64, root: '0x', peer: peer('amber') },
      { peerKey: '0xb', leafCount: 32, root: '0x', peer: peer('brisk') },
    ],
  },
  voteCommits: {
    items: [
      { evaluatorKey: '0x1', revealedAtSec: 10 },
      { evaluatorKey: '0x2', revealedAtSec: null },
    ],
  },
  votes: {
    items: [
      { evaluatorKey: '0x1', peerKey: '0xb', scoreMilli: 512 },
      { evaluatorKey: '0x1', peerKey: '0xa', scoreMilli: null },
    ],
  },
  withheldSecrets: { items: [] },
  leafDemands: { items: [] },
  openings: { items: [] },
  taskPays: { items: [] },
  appealCases: { items: [] },
  settlements: {
    items: [{ peerKey: '0xb', outcome: 'scored', scoreMilli: 512, votes: 2, openChallenges: 0, peer: peer('brisk') }],
  },
  evaluatorSeats: {
    items: [
      { peerKey: '0x3', evaluator: null },
      { peerKey: '0x2', evaluator: { peer: peer('elder') } },
      { peerKey: '0x1', evaluator: { peer: peer('early') } },
    ],
  },
}

test('each peer that committed meets each seat, settled peers first', () => {
  const { evaluators, rows } = voteTable(record)
  expect(evaluators.map(({ name }) => name)).toEqual(['early', 'elder', 'unregistered peer'])
  expect(rows.map(row => row.peer.name)).toEqual(['brisk', 'amber'])
  expect(rows[0]?.votes).toEqual([{ state: 'opened', scoreMilli: 512 }, { state: 'sealed' }, { state: 'absent' }])
})

test('a vote of unavailable is a vote', () => {
  expect(voteTable(record).rows[1]?.votes[0]).toEqual({ state: 'opened', scoreMilli: null })
})

test('of more seats than a committee has, only those who voted are shown', () => {
  const more = ['0x4', '0x5', '0x6'].map(peerKey => ({ peerKey, evaluator: null }))
  const seats = { items: [...record.evaluatorSeats.items, ...more] }
  expect(voteTable({ ...record, evaluatorSeats: seats }).evaluators.map(({ name }) => name)).toEqual(['early', 'elder'])
})
