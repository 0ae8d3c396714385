import { expect, test } from 'vitest'
import { checkEnvironment } from '../checkEnvironment.ts'
import { levels } from '../level.ts'
import type { ChatTokenizer } from '../promptFormat.ts'
import { seededRandom } from '../seededRandom.ts'
import { isHeldOut, type ReasoningProblem } from './drawQuestion.ts'
import { families, familyNames } from './families/families.ts'
import { hostileReplies } from './hostileReplies.ts'
import { small, solverMessage } from './kind.ts'
import { readFinal, readReply } from './readReply.ts'
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
  expect(new Set(drawn.map(({ problem }) => few.familyOf?.(problem)))).toEqual(new Set(['gcd', 'dates']))
  expect(new Set(drawn.map(({ level }) => level))).toEqual(new Set([2, 3]))
  expect(drawn.some(({ problem }) => isHeldOut(problem))).toBe(false)
  const held = await few.heldOutTasks(2, 20)
  expect(held.every(({ problem }) => isHeldOut(problem))).toBe(true)
  expect(held.map(({ problem }) => problem)).toEqual((await few.heldOutTasks(2, 20)).map(({ problem }) => problem))
  for (const { problem, check } of held)
    expect([check(problem.answer, true), check('no', true), check(problem.answer, false)]).toEqual([true, false, false])
})

test('held-out questions differ, and a family with fewer than its share gives those that it has', async () => {
  const families = ['sum', 'product', 'chain', 'gcd'] as const
  const questions = async (of: readonly (keyof typeof counts)[], count: number) =>
    (await open({ families: [...of] }).heldOutTasks(1, count)).map(({ problem }) => problem)
  const counts = { sum: 13, product: 6, chain: 100, gcd: 61 }
  for (const family of families)
    expect([family, (await questions([family], 100)).length]).toEqual([family, counts[family]])
  const mixed = await questions(families, 100)
  expect(new Set(mixed.map(({ question }) => question)).size).toBe(mixed.length)
  expect(mixed.filter(({ family }) => family === 'product')).toHaveLength(6)
  // Families with enough questions do not replace those of others.
  expect(mixed.filter(({ family }) => family === 'chain').length).toBeLessThan(35)
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

test('the environment passes the checks, with all families and both styles', async () => {
  const environment = open({ families: [...familyNames], reply: 'tagged' })
  expect(await checkEnvironment(environment, await environment.openJudge(null))).toEqual([])
  expect(await checkEnvironment(open(), await open().openJudge(null))).toEqual([])
})

test('a held-out check that takes a truncated answer for right is found, and one that takes a right one for wrong', async () => {
  const environment = open()
  const judge = await environment.openJudge(null)
  const checked = (check: (answer: string, text: string, ended: boolean) => boolean) => {
    const heldOutTasks: typeof environment.heldOutTasks = async (...asked) =>
      (await environment.heldOutTasks(...asked)).map(({ problem }) => ({
        problem,
        check: (text, ended) => check(problem.answer, text, ended),
      }))
    return checkEnvironment({ ...environment, heldOutTasks }, judge)
  }
  expect(await checked((answer, text) => answer === text)).toEqual([
    expect.stringMatching(
      /^heldOutTasks: "\d+", cut off by the token limit, is right for check and wrong for the score/,
    ),
  ])
  expect(await checked((_, text, ended) => ended && text === '13')).toEqual([
    expect.stringContaining('"13" is right for check and wrong for the score'),
  ])
})

test('the check of an environment requires a component', async () => {
  const environment = { ...open(), components: [] }
  const judge = {
    ...(await open().openJudge(null)),
    score: async (answers: readonly unknown[]) => answers.map(() => right),
  }
  const right = { components: {}, score: 0, correctness: 0 }
  expect(await checkEnvironment(environment, judge)).toContainEqual(expect.stringMatching(/^components: none/))
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
  const judge = await open({ weights: { format: 0.5, accuracy: 0.5, majority: 0 } }).openJudge(null)
  expect(await judge.score([{ problem: seven, text: '8', ended: true }])).toEqual([
    { components: { format: 1, accuracy: 0 }, score: 0.5, correctness: 0 },
  ])
  expect([0, 0.1, 0.55, 1].map(open().solvedShare)).toEqual([0, 0, expect.closeTo(0.5), 1])
})

const staged = { stages: 3, version: 4, weights: { format: 0.1, accuracy: 0.7, majority: 0.2 } } as const
const revised: ReasoningProblem = { ...seven, quoted: { stage: 2, texts: ['8', '7'], majority: '8' } }

test('with stages all solvers are asked the same, and a weight of the majority needs them', async () => {
  const environment = open(staged)
  expect(await environment.roundTasks(seed('01'), 0)).toHaveLength(spec.tasksPerRound)
  expect(await checkEnvironment(environment, await environment.openJudge(null))).toEqual([])
  expect(() => open({ ...staged, stages: 1 })).toThrow('a weight of the majority needs stages: 3')
  expect(open(staged).hash).not.toBe(open({ ...staged, weights: { format: 0.2, accuracy: 0.6, majority: 0.2 } }).hash)
  expect(open().stages).toBeNull()
})

test('a later stage shows what others wrote, and the last asks for two answers', async () => {
  const asked = async (problem: ReasoningProblem, changes: Partial<ReasoningSpec> = {}) =>
    text(await open({ ...staged, ...changes }).format.solverPrompt(problem)).replace(/^.*user:/s, '')
  expect(await asked({ ...seven, quoted: { stage: 1, texts: ['8'], majority: null } })).toBe(
    'What is 3 + 4?\nOther solvers answered, rightly or wrongly:\n1. 8\nAnswer with one integer. Write the answer and nothing else.;',
  )
  expect(await asked(revised)).toMatch(/1\. 8\n2\. 7\nAnswer with one integer\. Write the answer on the first line/)
  expect(await asked(revised, { reply: 'tagged' })).toContain('between <majority> and </majority>')
})

test.each(['bare', 'tagged'] as const)('examples of the last stage have the form that it asks for, %s', async reply => {
  const replyOf = (answer: string) => (reply === 'bare' ? answer : `So <answer>${answer}</answer>`)
  const shown = ['5', '24', '7'].map(answer => ({
    question: `Say ${answer}.`,
    kind: 'integer' as const,
    reply: replyOf(answer),
  }))
  const useless = { question: 'Say it.', kind: 'integer', reply: 'I cannot.' } as const
  const environment = open({ ...staged, reply, prompts: { ...prompts, examples: [...shown, useless] } })
  const turnsOf = async (problem: ReasoningProblem) =>
    [...text(await environment.format.solverPrompt(problem)).matchAll(/user:([^;]*);assistant:([^;]*);/g)].map(
      ([, asked = '', replied = '']) => ({ asked, replied }),
    )
  const last = await turnsOf(revised)
  expect(last.map(({ replied }) => readFinal(reply, 'integer', replied))).toEqual([
    { answer: '5', majority: '5' },
    { answer: '24', majority: '5' },
    { answer: '7', majority: '7' },
  ])
  expect(last[1]?.asked).toMatch(
    /^Say 24\.\nOther solvers read such answers.*\n1\. 24\n2\. 5\n3\. 5\nAnswer with one integer\. /,
  )
  const earlier = [seven, { ...seven, quoted: { stage: 1, texts: ['8'], majority: null } } as const]
  for (const problem of earlier)
    expect((await turnsOf(problem)).map(({ replied }) => replied)).toEqual([...shown, useless].map(one => one.reply))
})

test('stages need a version with these prompts, and a specification without stages keeps its own', () => {
  expect(() => open({ ...staged, version: 3 })).toThrow('stages need version 4')
  expect(open().spec.version).toBe(3)
})

test('the last stage pays the answer and the majority, and nothing where one is missing', async () => {
  const judge = await open(staged).openJudge(null)
  const of = async (reply: string, problem = revised) => (await judge.score([{ problem, text: reply, ended: true }]))[0]
  expect(await of('7\n8')).toEqual({ components: { format: 1, accuracy: 1, majority: 1 }, score: 1, correctness: 1 })
  expect((await of('7\n7'))?.score).toBeCloseTo(0.8, 12)
  expect((await of('9\n8'))?.score).toBeCloseTo(0.3, 12)
  for (const reply of ['7', '7 8', '7\n', '\n8', '7\n8\n8', '7\nmost said 8', '<majority>8</majority>'])
    expect((await of(reply))?.score, reply).toBe(0)
  // Without a majority, the other parts make up the whole score.
  const tied: ReasoningProblem = { ...seven, quoted: { stage: 2, texts: ['8', '7'], majority: null } }
  expect([(await of('7\n1', tied))?.score, (await of('7', seven))?.score]).toEqual([1, 1])
  expect((await of('8', seven))?.score).toBeCloseTo(0.125, 12)
})

test('the last stage is read in tags, and from one pair of each', () => {
  const read = (reply: string) => readFinal('tagged', 'integer', reply)
  expect(read('So: <answer>7</answer> <majority> 8 </majority>\n')).toEqual({ answer: '7', majority: '8' })
  for (const reply of [
    '<answer>7</answer>',
    '<majority>8</majority>',
    '<majority>8</majority><answer>7</answer>',
    '<answer>7</answer><majority>8</majority> or 9',
    '<answer>7</answer><majority>8</majority><majority>9</majority>',
    '<answer>7</answer><majority>8',
    '<answer>7</answer><majority>8</majority></majority>',
    `<answer>7</answer>${'<majority>'.repeat(10_000)}`,
  ])
    expect(read(reply), reply.slice(0, 60)).toBeNull()
})

test.each(familyNames)('%s: the right answer is read in both styles, with space around it', family => {
  for (const level of levels) {
    const { kind, answer } = families[family](level, seededRandom(`reply ${family} ${level}`))
    expect(readReply('bare', kind, ` ${answer}\n`)).toBe(answer)
    expect(readReply('tagged', kind, `So:\n<answer> ${answer} </answer>\n`)).toBe(answer)
  }
})

test('no reply that answers twice, argues or plays with its form is worth more than an honest wrong answer', async () => {
  const honest = (await scoreOf('<answer>8</answer>')) ?? 0
  expect(hostileReplies.length).toBeGreaterThanOrEqual(60)
  for (const reply of hostileReplies)
    expect([reply, await scoreOf(reply)]).toEqual([reply, expect.toSatisfy(score => score <= honest)])
  // A reply is not read across styles either.
  for (const reply of hostileReplies) expect(await scoreOf(reply, seven, 'bare')).toBeLessThanOrEqual(honest)
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
