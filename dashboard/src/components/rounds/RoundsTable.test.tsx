import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { RoundsTable } from './RoundsTable.tsx'

const round = {
  ...{
    number: 7,
    startsAtSec: 0,
    tasks: 8,
    rollouts: 640,
    rolloutCommitments: 10,
    votesCommitted: 5,
    votesRevealed: 5,
  },
  ...{ settled: 10, scored: 6, scoreMilliSum: 3_000 },
}

test('a round counts all peers without a score next to the mean of the others', async () => {
  const rounds = Promise.resolve({ state: 'ready' as const, data: { total: 1, rows: [round] } })
  const markup = renderToStaticMarkup(await RoundsTable({ rounds, page: 1 }))
  expect(markup).toContain('50 %')
  expect(markup.replaceAll('<!-- -->', '')).toContain('4 of 10 not scored')
})
