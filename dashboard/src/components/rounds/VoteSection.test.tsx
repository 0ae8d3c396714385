import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { VoteSection } from './VoteSection.tsx'

const none = { items: [] }
const counted = { totalCount: 0, items: [] }
const round = {
  ...{ number: 7, startsAtSec: 0, endsAtSec: 20, environmentHash: '0xe0', beacon: null },
  ...{ tasks: 24, rollouts: 96, proposals: 1, rolloutCommitments: 40 },
}
const peer = { peerKey: '0xa', peerId: 'id', name: 'amber', leafCount: 64, outcome: null, scoreMilli: null }
const record: RoundAnswer = {
  ...{ round, roundPeers: { items: [{ ...peer, openChallenges: 0 }] }, voteCommits: none, votes: none, openings: none },
  ...{ taskPays: none, withheldSecrets: counted, leafDemands: counted, appealCases: counted, evaluatorSeats: counted },
  committee: null,
}

async function markupOf(data: RoundAnswer, shard: number): Promise<string> {
  const view = { shard, task: '0x7a', page: 2 }
  const section = await VoteSection({ record: Promise.resolve({ state: 'ready', data }), round: 7, view })
  return renderToStaticMarkup(section).replaceAll('&amp;', '&')
}

test('a page of votes that does not exist is told from a round without work, and leads to one that does', async () => {
  const missing = await markupOf({ ...record, roundPeers: none }, 3)
  expect(missing).toContain('There is no such page.')
  expect(missing).toContain('href="/rounds/7?task=0x7a&page=2"')
  const idle = { ...record, round: { ...round, rolloutCommitments: 0 }, roundPeers: none }
  expect(await markupOf(idle, 0)).toContain('No solver has committed to rollouts')
})

test('another page of votes keeps the chosen problem', async () => {
  expect(await markupOf(record, 0)).toContain('href="/rounds/7?shard=1&task=0x7a&page=2"')
})
