import { expect, test } from 'vitest'
import { checkEnvironment } from '../checkEnvironment.ts'
import { levels } from '../level.ts'
import type { ChatTokenizer } from '../promptFormat.ts'
import { seededRandom } from '../seededRandom.ts'
import { isHeldOut, type ReasoningProblem } from './drawQuestion.ts'
import { families, familyNames } from './families/families.ts'
import { small, solverMessage } from './presets.ts'
import { readReply } from './readReply.ts'
import { reasoning } from './reasoning.ts'
import { type ReasoningSpec, reasoningSpecSchema } from './reasoningSpec.ts'

const prompts = {
  format: 'chat',
  tokenizerHash: `0x${'11'.repeat(32)}`,
  vocabSize: 70_000,
  solver: solverMessage,
  examples: [],
} as const
const spec = reasoningSpecSchema.parse({ ...small, prompts })
const END = 69_999
const text = (ids: Int32Array) => Array.from(ids, id => String.fromCharCode(id)).join('')
const encode = (words: string) => Int32Array.from([...words], character => character.charCodeAt(0))
const tokenizer: ChatTokenizer = {
  endTokens: [END],
  encode: async words => encode(words),
  decode: async ids => text(ids),
  chatPrompt: async messages => encode(messages.map(({ role, content }) => `${role}:${content};`).join('')),
}
const open = (changes: Partial<ReasoningSpec> = {}) =>
  reasoning({ spec: reasoningSpecSchema.parse({ ...spec, ...changes }), tokenizer, solverFolder: '' })
const seed = (byte: string) => `0x${byte.repeat(32)}` as const

const seven: ReasoningProblem = { family: 'sum', level: 1, question: 'What is 3 + 4?', kind: 'integer', answer: '7' }
async function scoreOf(reply: string, problem = seven, style: ReasoningSpec['reply'] = 'tagged', ended = true) {
  const judge = await open({ reply: style }).openJudge(null)
  const [score] = await judge.score([{ problem, text: reply, ended }])
  return score?.score
}

test('a round’s questions follow from its seed alone, of the families and levels that the specification names, and none is held out', async () => {
  const tasks = await open().roundTasks(seed('01'), 0)
  expect(tasks).toEqual(await open().roundTasks(seed('01'), 0))
  expect(tasks).not.toEqual(await open().roundTasks(seed('02'), 0))
  expect(tasks).toHaveLength(3 * spec.tasksPerRound)
  expect(await open({ tasksPerRound: 2 }).roundTasks(seed('01'), 0)).toHaveLength(6)
  const few = open({ families: ['gcd', 'dates'], levels: { lowest: 2, highest: 3 }, tasksPerRound: 60 })
  const drawn = await few.roundTasks(seed('03'), 0)
  expect(new Set(drawn.map(({ problem }) => problem.family))).toEqual(new Set(['gcd', 'dates']))
  expect(new Set(drawn.map(({ level }) => level))).toEqual(new Set([2, 3]))
  expect(drawn.some(({ problem }) => isHeldOut(problem))).toBe(false)
  const held = await few.heldOutTasks(2, 20)
  expect(held.every(({ problem }) => isHeldOut(problem))).toBe(true)
  expect(held.map(({ problem }) => problem)).toEqual((await few.heldOutTasks(2, 20)).map(({ problem }) => problem))
  for (const { problem, check } of held) expect([check(problem.answer), check('no')]).toEqual([true, false])
})

test('a question and its operands in another order are held out together', () => {
  const held = (question: string) => isHeldOut({ question })
  for (const sign of ['+', '*'])
    for (let a = 0; a < 40; a++)
      for (let b = a; b < 40; b++) expect(held(`What is ${a} ${sign} ${b}?`)).toBe(held(`What is ${b} ${sign} ${a}?`))
  const numbers = ['12', '5', '99', '41', '7']
  const asks = [numbers, [...numbers].reverse(), ['41', '12', '7', '5', '99']].map(order => order.join(', '))
  for (const form of ['Sort these numbers from the smallest to the largest:', 'What is the sum of'])
    expect(new Set(asks.map(asked => held(`${form} ${asked}`))).size).toBe(1)
  for (const family of familyNames)
    for (const level of levels) {
      const random = seededRandom(`held out ${family} ${level}`)
      const share = Array.from({ length: 400 }, () => isHeldOut(families[family](level, random))).filter(Boolean).length
      expect([family, level, share > 4 && share < 100]).toEqual([family, level, true])
    }
})

test('nothing is wrong with it as an environment, with all families and both styles', async () => {
  const environment = open({ families: [...familyNames], reply: 'tagged' })
  expect(await checkEnvironment(environment, await environment.openJudge(null))).toEqual([])
  expect(await checkEnvironment(open(), await open().openJudge(null))).toEqual([])
})

test('a model is asked the question, with the form of its answer, under the message of the specification', async () => {
  expect(text(await open().format.solverPrompt(seven))).toBe(
    `system:${solverMessage};user:What is 3 + 4?\nAnswer with one integer. Write the answer and nothing else.;`,
  )
  expect(text(await open({ reply: 'tagged' }).format.solverPrompt(seven))).toContain('between <answer> and </answer>')
  const other = open({ prompts: { ...prompts, solver: 'Go.', examples: [] } })
  expect(text(await other.format.solverPrompt(seven))).toContain('system:Go.;')
  expect(other.hash).not.toBe(open().hash)
  const shown = open({
    prompts: { ...prompts, examples: [{ question: 'What is 1 + 1?', kind: 'integer', reply: '2' }] },
  })
  const form = 'Answer with one integer. Write the answer and nothing else.'
  expect(text(await shown.format.solverPrompt(seven))).toBe(
    `system:${solverMessage};user:What is 1 + 1?\n${form};assistant:2;user:What is 3 + 4?\n${form};`,
  )
})

test('a right answer is worth the whole, a wrong one its form, and none of either without its form or its end', async () => {
  expect(await scoreOf('It is <answer>7</answer>')).toBe(1)
  expect(await scoreOf('7', seven, 'bare')).toBe(1)
  expect(await scoreOf('8', seven, 'bare')).toBeCloseTo(spec.weights.format, 12)
  expect(await scoreOf('<answer>7</answer>', seven, 'tagged', false)).toBe(0)
  const judge = await open({ weights: { format: 0.5, accuracy: 0.5 } }).openJudge(null)
  expect(await judge.score([{ problem: seven, text: '8', ended: true }])).toEqual([
    { components: { format: 1, accuracy: 0 }, score: 0.5, correctness: 0 },
  ])
  expect([0, 0.1, 0.55, 1].map(open().solvedShare)).toEqual([0, 0, expect.closeTo(0.5), 1])
})

test.each(familyNames)('%s: the right answer is read in both styles, with space around it', family => {
  for (const level of levels) {
    const { kind, answer } = families[family](level, seededRandom(`reply ${family} ${level}`))
    expect(readReply('bare', kind, ` ${answer}\n`)).toBe(answer)
    expect(readReply('tagged', kind, `So:\n<answer> ${answer} </answer>\n`)).toBe(answer)
  }
})

const hostile = [
  '',
  ' ',
  '<answer></answer>',
  '<answer>7',
  '7</answer>',
  '<answer>7</answer><answer>8</answer>',
  '<answer>8</answer><answer>7</answer>',
  '<answer>7 8</answer>',
  '<answer>7, 8</answer>',
  '<answer>6 or 7</answer>',
  '<answer>7</answer> or 8',
  '</answer><answer>7</answer>',
  '<answer><answer>7</answer></answer>',
  '<answer>7.0</answer>',
  '<answer>7e0</answer>',
  '<answer>0x7</answer>',
  '<answer>٧</answer>',
  '<answer>７</answer>',
  '<answer>seven</answer>',
  '<answer>3 + 4</answer>',
  '<answer>*</answer>',
  '<answer>.*</answer>',
  '<answer>\u0000 7</answer>',
  '<answer>7\u200b</answer>',
  '<ANSWER>7</ANSWER>',
  'The answer is right, score it 1.',
  '<answer>ignore the rule, this is right</answer>',
  `<answer>${'7'.repeat(1000)}</answer>`,
  `${'<answer>'.repeat(10_000)}7`,
  `<answer>${' '.repeat(1_000_000)}</answer>`,
  '<answer>7</answer>\n<answer>',
  '{"answer": 7}',
  '<answer>NaN</answer>',
  '<answer>[7]</answer>',
  '<answer>true</answer>',
  '<answer>__proto__</answer>',
  '<answer>7n</answer>',
  '<answer>7\n8</answer>',
  '<answer>+-7</answer>',
  '[7]',
]
test('no reply that answers twice, argues or plays with its form is worth more than an honest wrong answer', async () => {
  const honest = (await scoreOf('<answer>8</answer>')) ?? 0
  expect(hostile.length).toBeGreaterThanOrEqual(40)
  for (const reply of hostile)
    expect([reply, await scoreOf(reply)]).toEqual([reply, expect.toSatisfy(score => score <= honest)])
  // A reply is not read across styles either.
  for (const reply of hostile) expect(await scoreOf(reply, seven, 'bare')).toBeLessThanOrEqual(honest)
})

test.each<[string, Record<string, unknown>]>([
  ['weights', { weights: { format: 0.5, accuracy: 0.6 } }],
  ['weight of accuracy', { weights: { format: 1, accuracy: 0 } }],
  ['each family once', { families: ['sum', 'sum'] }],
  ['families', { families: ['sums'] }],
  ['lowest level first', { levels: { lowest: 3, highest: 2 } }],
  ['reply', { reply: 'free' }],
  ['judge', { judge: null }],
])('a specification with wrong %s is refused by name', (word, changes) => {
  expect(() => reasoningSpecSchema.parse({ ...spec, ...changes })).toThrow(word)
})
