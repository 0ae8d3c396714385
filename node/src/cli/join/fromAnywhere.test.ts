import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { fromAnywhere } from './fromAnywhere.ts'

const file = join(mkdtempSync(join(tmpdir(), 'waggle-paths-')), 'rows.jsonl')
writeFileSync(file, '')
const here = relative(process.cwd(), file)

test.each(['deployment', 'environment', 'models', 'model', 'proposer', 'judge', 'dataset', 'generate-adapters'])(
  'a path that join was given as --%s is kept as an absolute one',
  name => expect(fromAnywhere(name, here)).toBe(file),
)

test('folders of solvers are paths, each', () => expect(fromAnywhere('figures-of', [here])).toEqual([file]))

test.each([
  ['judge', 'Qwen/Qwen2.5-Coder-1.5B-Instruct@main'],
  ['judge', 'http://127.0.0.1:8000/v1#judge'],
  ['dataset', 'google-research-datasets/mbpp:sanitized/train.parquet'],
  ['role', here],
  ['threads', '2'],
])('--%s %s is kept as it is', (name, value) => expect(fromAnywhere(name, value)).toBe(value))
