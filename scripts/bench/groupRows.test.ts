import { join } from 'node:path'
import { expect, test } from 'vitest'
import { experimentRows } from '../experiment/experiment.ts'
import { type Group, groups, readResults } from '../measure/results.ts'
import { networkRowNames } from '../simulate/network/rows.ts'
import { groupRows } from './groupRows.ts'

const kept = join(import.meta.dirname, '../../docs/benchmarks')

/** Null of groups whose rows are known only once they are played. */
async function namesOf(group: Group): Promise<readonly string[] | null> {
  if (group === 'simulate') return networkRowNames.map(({ name }) => name)
  if (group === 'experiments') return experimentRows.map(({ name }) => name)
  if (group === 'chaos' || group === 'protocol') return null
  return (await groupRows[group]()).rows.map(({ name }) => name)
}

test('the report has every row of a group that was measured, with a value or the reason why it has none', async () => {
  for (const group of groups) {
    const [names, results] = [await namesOf(group), await readResults(kept, group)]
    if (names === null || results.length === 0) continue
    expect(results.map(({ name }) => name).sort(), group).toEqual([...names].sort())
  }
})
