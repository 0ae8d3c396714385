import { expect, test } from 'vitest'
import type { WordChooser } from '../../environment.ts'
import { chatMessages } from '../presets.ts'
import { labelledPairs } from './labelledPairs.ts'
import { servedJudge } from './servedJudge.ts'
import { judgeMessages } from './trueFalseJudge.ts'

const rule = { system: chatMessages.judgeSystem, question: chatMessages.judgeQuestion }
const own = labelledPairs(64, "the solver's own")
const judged = labelledPairs(20, 'a round')
const pairs = [...labelledPairs(128, 'served judge'), ...own, ...judged]
const truth = new Map<string, boolean>()
for (const pair of pairs) truth.set(JSON.stringify(await judgeMessages(rule, pair)), pair.isRight)

/** Says of right code log-odds of `right`, of wrong code of `wrong`. */
const server = (right: number, wrong: number): WordChooser => ({
  chooseWord: async conversations =>
    conversations.map(messages => [truth.get(JSON.stringify(messages)) ? right : wrong, 0]),
})

test('A server is asked as a model here would be, and calibrated: what it says of right code is high, whatever its scale.', async () => {
  const judge = await servedJudge(server(-1, -3), rule, async () => own)
  expect(judge.measured).toMatchObject({ balancedAccuracy: 1, pairs: 192, samples: 64 })
  const predicted = await judge.predictCorrectness([
    ...judged,
    { ...(judged[0] as (typeof judged)[number]), code: 'def f(' },
  ])
  expect(predicted.at(-1)).toBe(0)
  for (const [at, { isRight }] of judged.entries()) expect((predicted[at] as number) > 0.8).toBe(isRight)
  for (const [at, { isRight }] of judged.entries()) expect((predicted[at] as number) < 0.2).toBe(!isRight)
})

test('A server that knows near-misses and not what the solver writes is refused, and is asked of near-misses before anything is sampled.', async () => {
  const order: string[] = []
  const misled = new Set(await Promise.all(own.map(async pair => JSON.stringify(await judgeMessages(rule, pair)))))
  const parrot: WordChooser = {
    chooseWord: async conversations => {
      order.push(`asked ${conversations.length}`)
      return conversations.map(messages => {
        const key = JSON.stringify(messages)
        return [truth.get(key) === misled.has(key) ? -2 : 2, 0]
      })
    },
  }
  const sample = async () => {
    order.push('sampled')
    return own
  }
  // Of all pairs it tells enough apart.
  await expect(servedJudge(parrot, rule, sample)).rejects.toMatchObject({
    message: expect.stringMatching(
      /solver's 64 answers alone is 0\.\d+, below 0\.65.*on 192 pairs, 64 of them the solver's own/,
    ),
  })
  expect(order).toEqual(['asked 128', 'sampled', 'asked 64'])
})

test('A server is refused if the solver gives too few functions to examine it with; if they are all right, they count among all pairs.', async () => {
  const sound = server(2, -2)
  for (const count of [0, 15])
    await expect(servedJudge(sound, rule, async () => own.slice(0, count))).rejects.toMatchObject({
      code: 'ENVIRONMENT_MISMATCH',
      message: expect.stringContaining(`Only ${count} answers`),
    })
  const right = own.filter(({ isRight }) => isRight)
  for (const few of [own.slice(0, 16), right])
    expect((await servedJudge(sound, rule, async () => few)).measured).toMatchObject({
      ...{ balancedAccuracy: 1, samples: few.length },
    })
})

test.each([
  ['says the same of all code', server(2, 2)],
  ['finds wrong code likelier', server(-1, 1)],
])('A server that %s is refused.', async (_, weak) => {
  await expect(servedJudge(weak, rule, async () => own)).rejects.toMatchObject({
    message: expect.stringContaining('does not tell right code'),
  })
})

test('An answer that the server refuses is wrong, and a server that refuses a question of its examination is refused.', async () => {
  const strict = (limit: number): WordChooser => ({
    async chooseWord(conversations, words) {
      const rows = await server(2, -2).chooseWord(conversations, words)
      return rows.map((row, at) => (JSON.stringify(conversations[at]).length > limit ? null : row))
    },
  })
  const judge = await servedJudge(strict(4_000), rule, async () => own)
  const [right] = judged.filter(({ isRight }) => isRight)
  const long = { ...(right as (typeof judged)[number]) }
  long.code = long.code.replace(/\n/, `\n    table = [${'1, '.repeat(2_000)}]\n`)
  const [one, other] = await judge.predictCorrectness([long, right as (typeof judged)[number]])
  expect(one).toBe(0)
  expect(other).toBeGreaterThan(0.8)
  await expect(servedJudge(strict(100), rule, async () => own)).rejects.toThrow('refuses 128 of 128 questions')
})
