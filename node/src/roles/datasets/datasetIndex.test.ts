import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLogger } from '#core/logger.ts'
import { datasetProposal } from '#environments/codezero/datasets/datasetProposal.ts'
import type { Proposals } from '#environments/environment.ts'
import { openDatasetIndex } from './datasetIndex.ts'
import { openDatasetTasks } from './datasetTasks.ts'

const path = join(mkdtempSync(join(tmpdir(), 'waggle-index-')), 'tasks.jsonl')
const rows = [1, 2].map(at => ({ text: `Add ${at} to the number.`, tests: [`assert add_${at}(1) == ${at + 1}`] }))
// Nobody could propose the last one.
writeFileSync(path, [...rows, { text: 'Print it.', tests: ['assert True'] }].map(row => JSON.stringify(row)).join('\n'))
const proposals = {
  tell: task => datasetProposal(task as Parameters<typeof datasetProposal>[0], 'wellFormed'),
} as Pick<Proposals, 'tell'>

test('the text that a proposer of the dataset puts up is told from others', async () => {
  const at = { logger: silentLogger, signal: new AbortController().signal }
  const index = await openDatasetIndex({ path, name: 'sums' }, proposals, at)
  await index.read
  // A proposer reads the rows in another order.
  const dataset = await openDatasetTasks(path, 'a peer', 'training')
  const names: (string | undefined)[] = []
  for await (const { task } of dataset.from({ pass: 0, taken: 0 })) {
    const told = await proposals.tell(task)
    if ('text' in told) names.push(index.datasetOf(told.text), index.datasetOf(`${told.text} `))
  }
  await dataset.close()
  expect(names).toEqual(['sums', undefined, 'sums', undefined])
})

test('a stop ends the reading, and what cannot be read is refused at once', async () => {
  const at = { logger: silentLogger, signal: AbortSignal.abort() }
  await (await openDatasetIndex({ path, name: 'sums' }, proposals, at)).read
  await expect(openDatasetIndex({ path: `${path}.gone`, name: 'gone' }, proposals, at)).rejects.toThrow()
})
