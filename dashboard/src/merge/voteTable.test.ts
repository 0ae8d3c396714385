import { expect, test } from 'vitest'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { voteTable } from './voteTable.ts'

const peer = (name: string) => ({ peerId: `id of ${name}`, name })

const round = {
  ...{ number: 7, startsAtSec: 0, endsAtSec: 20, environmentHash: '0xe0', beacon: '0xbe' },
  ...{ tasks: 24, rollouts: 96, proposals: 1, rolloutCommitments: 2 },
}

const record: RoundAnswer = {
  round: null,
  roundPeers: {
    items: [
      { peerKey: '0xa', ...peer('amber'), leafCount: 64, outcome: null, scoreMilli: null, openChallenges: 0 },
      { peerKey: '0xb', ...peer('brisk'), leafCount: 32, outcome: 'scored', scoreMilli: 512, openChallenges: 0 },
    ],
  },
  voteCommits: {
    items: [
      { evaluatorKey: '0x1', revealedAtSec: 10, peer: peer('early') },
      { evaluatorKey: '0x2', revealedAtSec: null, peer: peer('elder') },
    ],
  },
  votes: {
    items: [
      { evaluatorKey: '0x1', peerKey: '0xb', scoreMilli: 512 },
      { evaluatorKey: '0x1', peerKey: '0xa', scoreMilli: null },
    ],
  },
  withheldSecrets: { totalCount: 0, items: [] },
  leafDemands: { totalCount: 0, items: [] },
  openings: { items: [] },
  taskPays: { items: [] },
  appealCases: { totalCount: 0, items: [] },
  committee: null,
  evaluatorSeats: {
    totalCount: 3,
    items: [
      { peerKey: '0x3', peer: null },
      { peerKey: '0x2', peer: peer('elder') },
      { peerKey: '0x1', peer: peer('early') },
    ],
  },
}

test('each peer that committed has a row with each seat, settled peers first', () => {
  const { evaluators, rows } = voteTable(record)
  expect(evaluators.map(({ name }) => name)).toEqual(['early', 'elder', 'unregistered peer'])
  expect(rows.map(row => row.peer.name)).toEqual(['brisk', 'amber'])
  expect(rows[0]?.votes).toEqual([512, 'sealed', 'absent'])
})

test('a vote of unavailable is a vote', () => {
  expect(voteTable(record).rows[1]?.votes[0]).toBe('unavailable')
})

test('the seats of the committee are those that the chain drew, silent ones included', () => {
  const evaluatorSeats = { totalCount: 40, items: [] }
  const committee = [
    { peerKey: '0x9', peer: peer('late') },
    { peerKey: '0x1', peer: peer('early') },
  ]
  const table = voteTable({ ...record, evaluatorSeats, committee, round })
  expect(table.evaluators.map(({ name }) => name)).toEqual(['early', 'late'])
  expect(table.rows[0]?.votes).toEqual([512, 'absent'])
  expect(table.silentSeats).toBe(0)
})

test('if the chain does not say who was drawn, only those that voted are shown, and the others are counted', () => {
  const evaluatorSeats = { totalCount: 40, items: record.evaluatorSeats.items.slice(0, 1) }
  const tableOf = (beacon: string | null) => voteTable({ ...record, evaluatorSeats, round: { ...round, beacon } })
  expect(tableOf('0xbe').evaluators.map(({ name }) => name)).toEqual(['early', 'elder'])
  expect(tableOf('0xbe').silentSeats).toBe(3)
  expect(tableOf(null).silentSeats, 'nobody is drawn yet').toBe(0)
  expect(voteTable(record).silentSeats, 'each has a column').toBe(0)
  const forgotten = voteTable({ ...record, evaluatorSeats, round, committee: 'forgotten' })
  expect([forgotten.silentSeats, forgotten.isForgotten, tableOf('0xbe').isForgotten]).toEqual([3, true, false])
})
