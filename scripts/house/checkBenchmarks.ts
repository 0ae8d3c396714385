import { join } from 'node:path'
import { reportOf } from '../measure/report.ts'
import type { Texts } from './readTexts.ts'

/** The report is what the kept results say. */
export async function checkBenchmarks(root: string, documents: Texts): Promise<string[]> {
  const expected = await reportOf(join(root, 'docs/benchmarks'))
  return documents.get('docs/benchmarks.md') === expected
    ? []
    : ['docs/benchmarks.md: stale, run npm run bench -- report']
}
