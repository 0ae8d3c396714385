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

async function expectFindings(sound: string, faults: Faults): Promise<void> {
  for (const [right] of faults) expect(sound).toContain(right)
  const broken = faults.reduce((code, [right, wrong]) => code.replaceAll(right, wrong), sound)
  const { findings } = await check(broken)
  for (const [, , ...due] of faults) for (const finding of due) expect(findings.join('\n')).toContain(finding)
}

test.each<[string, Faults]>([
  [
    'specification and scores',
    [
      [
        'seededRandom(seed)',
        "seededRandom('mine')",
        'roundTasks: two seeds give the same tasks',
        'drawTasks: two seeds give the same tasks at level 1',
      ],
      ['score: right,', 'score: 2 * right - 1,', 'the score is -1, not from 0 to 1'],
      ["components: ['right']", "components: ['left']", 'the components are right, not left'],
      ['z.strictObject({\n  name', 'z.looseObject({\n  name', 'an unknown field is accepted'],
      ["z.literal('backwards')", 'z.string()', 'any name is accepted'],
      ['owedLeaves: 64', 'owedLeaves: 65', 'describe: owedLeaves: expected tasksPerRound * groupSize, 64, not 65'],
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
        'return [...words].map',
        'return [...words].map((_, at, all) => all[at % 2] as string).map',
        'of level 1 repeats',
      ],
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
  await expectFindings(shown, faults)
})

/** The guide's environment with all hooks that it does without. */
const hooked = shown.replace(
  'proposals: null,',
  `proposals: {
      limits: { promptTokens: 1000, positions: 1000 },
      read: async text => (/^[a-z]{3,9}$/.test(text) ? { word: text } : null),
      keyOf: async text => text,
      faultOf: async text => (text.length > 9 ? 'too long' : null),
      tell: async ({ function: asked }) => (asked === null ? { reason: 'no word' } : { text: 'word' }),
      testsOf: async () => [],
      codeOf: () => null,
    } as any,
    stages: {
      ...{ count: 2, peers: 3 },
      laterTasks: (questions: any[], at: any, answers: any[]) =>
        questions.map((task, i) => (answers[i].includes(null) ? null : { ...task, problem: { word: task.text + quoted(answers[i]) } })),
    },
    games: {
      draw: () => ({ question: 'Which?', choices: ['a', 'b'], clues: ['c'], answer: 0 }),
      sequences: async ({ choices }: any) => choices.map(() => ({ tokens: Int32Array.of(1, 2), from: 1 })),
    },`,
)
const quoted = 'const quoted = (answers: any[]) => answers.flat().map(({ text }: any) => text.slice(0, 3)).join("")\n'
const withHooks = hooked.replace('const schema =', `${quoted}const schema =`)

test('sound proposals, stages and games pass the checks', async () => {
  expect((await check(withHooks)).findings).toEqual([])
})

test.each<[string, Faults]>([
  [
    'proposals',
    [
      [
        '{ word: text } : null',
        '{ word: text + Math.random() } : undefined',
        'proposals.read of "": gives undefined: give a problem',
      ],
      [
        'keyOf: async text => text',
        'keyOf: async text => text + Math.random()',
        'proposals.keyOf of "": two calls differ',
      ],
      ["? 'too long' : null", "? 'too long' : 7", 'proposals.faultOf of "": gives 7: give a reason, or null'],
      ["{ reason: 'no word' }", '{ reason: null }', 'proposals.tell: gives {"reason":null}'],
      ['testsOf: async () => []', 'testsOf: async text => JSON.parse(text)', 'proposals.testsOf of "": threw'],
      ['codeOf: () => null', 'codeOf: () => true', 'proposals.codeOf of "": gives true: give code, or null'],
    ],
  ],
  [
    'stages that do without missing answers',
    [
      [
        'answers[i].includes(null) ? null',
        'answers[i].includes(7) ? null',
        'stages.laterTasks of stage 1, unavailable answers: threw',
      ],
      ['text.slice(0, 3)', 'text.slice(0, 20_000)', 'hostile answers: a prompt has'],
    ],
  ],
  [
    'stages that need answers, and questions of games',
    [
      ["clues: ['c'], answer: 0", "clues: ['c'], answer: 2", 'games.draw: gives'],
      [
        'answers[i].includes(null) ? null',
        'answers[i].length === 0 ? null',
        'stage 1, no peer: null: it is for answers that',
      ],
    ],
  ],
  [
    'stages that draw by themselves, and readings of games',
    [
      ['from: 1', 'from: 2', 'games.sequences: gives'],
      [
        '...task, problem:',
        '...task, level: Math.random(), problem:',
        'stages.laterTasks of stage 1, no peer: two calls differ',
      ],
    ],
  ],
])('an author is told what is wrong with %s', async (_, faults) => {
  await expectFindings(withHooks, faults)
})
