import { expect, test } from 'vitest'
import type { WordChooser } from '../../environment.ts'
import { chatMessages } from '../presets.ts'
import { labelledPairs } from './labelledPairs.ts'
import { servedJudge } from './servedJudge.ts'
import { judgeMessages } from './trueFalseJudge.ts'

const rule = { system: chatMessages.judgeSystem, question: chatMessages.judgeQuestion }
const pairs = [...labelledPairs(128, 'served judge'), ...labelledPairs(20, 'a round')]
const truth = new Map<string, boolean>()
for (const pair of pairs) truth.set(JSON.stringify(await judgeMessages(rule, pair)), pair.isRight)

/** Says of right code log-odds of `right`, of wrong code of `wrong`. */
const server = (right: number, wrong: number): WordChooser => ({
  chooseWord: async conversations =>
    conversations.map(messages => [truth.get(JSON.stringify(messages)) ? right : wrong, 0]),
})

test('A server is asked as a model here would be, and calibrated: what it says of right code is high, whatever its scale.', async () => {
  const judge = await servedJudge(server(-1, -3), rule)
  const judged = pairs.slice(128)
  const predicted = await judge.predictCorrectness([
    ...judged,
    { ...(judged[0] as (typeof judged)[number]), code: 'def f(' },
  ])
  expect(predicted.at(-1)).toBe(0)
  for (const [at, { isRight }] of judged.entries()) expect((predicted[at] as number) > 0.8).toBe(isRight)
  for (const [at, { isRight }] of judged.entries()) expect((predicted[at] as number) < 0.2).toBe(!isRight)
})

test.each([
  ['says the same of all code', server(2, 2)],
  ['finds wrong code likelier', server(-1, 1)],
])('A server that %s is refused.', async (_, weak) => {
  await expect(servedJudge(weak, rule)).rejects.toMatchObject({
    message: expect.stringContaining('does not tell right code'),
  })
})
