import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { writeChatModel } from '../../../test/chatModelFolder.ts'
import { checkEnvironmentModule } from './checkEnvironmentModule.ts'

const repository = join(import.meta.dirname, '..', '..', '..', '..')
const root = mkdtempSync(join(tmpdir(), 'waggle-kind-'))
const guide = readFileSync(join(repository, 'docs', 'guides', 'add-a-kind-of-environment.md'), 'utf8')
const [, shown = ''] = /```ts\n([\s\S]*?)```/.exec(guide) ?? []

beforeAll(async () => {
  await writeChatModel(join(root, 'model'), 'model')
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
})

let files = 0
function check(code: string) {
  const path = join(root, `kind${files++}.ts`)
  writeFileSync(path, code.replaceAll("from '../", `from '${repository}/node/src/environments/`))
  const modelFolder = join(root, 'model')
  return checkEnvironmentModule(path, {
    ...{ modelFolder, judgeFolder: null, judgeModel: null, precision: 'float32', pairs: 16, samples: 4, threads: 1 },
    runCode: async () => [],
  })
}

test('the environment that the guide builds is under 150 lines, and nothing is wrong with it', async () => {
  expect(shown.split('\n').length).toBeLessThan(150)
  expect(await check(shown)).toEqual({ findings: [], hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
})

type Faults = readonly (readonly [right: string, wrong: string, ...findings: string[]])[]

test.each<[string, Faults]>([
  [
    'specification and scores',
    [
      ['seededRandom(seed)', "seededRandom('mine')", 'roundTasks: two seeds give the same tasks'],
      ['score: right,', 'score: 2 * right - 1,', 'the score is -1, not from 0 to 1'],
      ["components: ['right']", "components: ['left']", 'the components are right, not left'],
      ['z.strictObject({\n  name', 'z.looseObject({\n  name', 'a field that nobody knows is accepted'],
      ["z.literal('backwards')", 'z.string()', 'any name is accepted'],
      ['owedLeaves: 64', 'owedLeaves: 65', 'owedLeaves is 65: make it tasksPerRound * groupSize, 64'],
    ],
  ],
  [
    'tasks',
    [
      ['seededRandom(seed)', 'seededRandom(Math.random())', 'roundTasks: two calls with one seed differ'],
      ['length: proposalsPerRound(spec)', 'length: 1', 'roundTasks: 1 tasks for 8'],
      [
        'score: async answers =>',
        'score: async () => { throw new Error("no") }, x: async (answers: any[]) =>',
        'threw no',
      ],
    ],
  ],
  [
    'held-out tasks and answers',
    [
      ['=== heldOut) ', '=== heldOut || word) ', 'is also drawn for training'],
      [
        'text.trim() === ',
        "text === '' || text.trim() === ",
        'check takes an empty or meaningless answer',
        'score: "" counts as right',
      ],
    ],
  ],
  ['a part of the kind', [['needsJudge: false,', '', 'kind.needsJudge is missing']]],
  ['the kind', [['export const kind', 'export const other', 'The module exports no kind']]],
  [
    'describe',
    [['describe({ modelFolder }) {', 'describe({ modelFolder }) { throw new Error("no")', 'describe: threw no']],
  ],
  ['syntax', [["import { z } from 'zod'", 'import {', 'The module: threw']]],
])('an author is told what is wrong with %s', async (_, faults) => {
  for (const [right] of faults) expect(shown).toContain(right)
  const broken = faults.reduce((code, [right, wrong]) => code.replaceAll(right, wrong), shown)
  const { findings } = await check(broken)
  for (const [, , ...due] of faults) for (const finding of due) expect(findings.join('\n')).toContain(finding)
})
