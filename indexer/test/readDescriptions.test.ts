import { expect, test } from 'vitest'
import { describeColumn, readDescriptions } from '../src/api/readDescriptions.ts'

const source = `
const shared = () => ({
  /** In both. */
  sum: bigint('sum').notNull(),
})

/** A peer,
 * and more. */
export const peer = onchainTable(
  'peer',
  t => ({
    /** Its key. */
    peerKey: t.hex().primaryKey(),
    moves: t.integer(),
    atSec: t.int8(),
  }),
  table => ({
    /** No column. */
    byKey: index().on(table.peerKey),
  }),
)

/** Its sums. */
export const total = onchainView('total', {
  ...shared(),
}).as(sql\`SELECT 1\`)
export const bare = onchainTable('bare', t => ({ id: t.text() }))
`

test('tables and columns are described by the comments before them', () => {
  const described = readDescriptions(source)
  expect([...described]).toEqual([
    ['peer', 'A peer, and more.'],
    ['peer.peerKey', 'Its key.'],
    ['peer.byKey', 'No column.'],
    ['total', 'Its sums.'],
    ['total.sum', 'In both.'],
  ])
  expect(describeColumn(described, 'peer', 'peerKey')).toBe('Its key.')
  expect(describeColumn(described, 'peer', 'moves')).toBe(undefined)
  expect(describeColumn(described, 'peer', 'atSec')).toMatch(/^Unix time/)
})
