import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RoundTotals } from '#sources/getRounds.ts'
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
  ...{ settled: 10, scored: 6, void: 0, scoreMilliSum: 3_000 },
}

async function markupOf(changes: Partial<RoundTotals>): Promise<string> {
  const rows = [{ ...round, ...changes }]
  const rounds = Promise.resolve({ state: 'ready' as const, data: { total: 1, rows } })
  return renderToStaticMarkup(await RoundsTable({ rounds, page: 1 })).replaceAll('<!-- -->', '')
}

test('a round counts all peers without a score next to the mean of the others', async () => {
  const markup = await markupOf({})
  expect(markup).toContain('50 %')
  expect(markup).toContain('4 of 10 not scored')
})

test('a void round is called so, and its peers are not counted as without a score', async () => {
  const markup = await markupOf({ scored: 0, void: 10, scoreMilliSum: 0 })
  expect(markup).toContain('>void<')
  expect(markup).not.toContain('not scored')
  expect(await markupOf({ scored: 0, void: 9, scoreMilliSum: 0 })).toContain('1 of 10 not scored')
})
