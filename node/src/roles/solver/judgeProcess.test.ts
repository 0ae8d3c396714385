import { expect, test } from 'vitest'
import { loadEnvironments } from '#environments/builtIn.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { openJudge, openPolicy } from '../models/openModels.ts'
import { hasJudgeProcess } from './startSolver.ts'

test('a judge in its own process scores as that of the policy does, and while the policy samples', async () => {
  const { starter } = await loadEnvironments()
  const settings = { threads: 1, crashed: () => {} }
  const together = await openPolicy(starter, null, settings)
  const alone = await openPolicy(starter, null, { ...settings, judges: false })
  const { judge, close } = await openJudge(starter, settings)
  const tasks = seededRandom('judge process').shuffled(starter.drawTasks(3, 4, 'judge process'))
  const prompts = await Promise.all(tasks.map(({ problem }) => starter.format.solverPrompt(problem)))
  const sampling = { samplesPerPrompt: 2, maxNewTokens: 96, temperature: 1, stopToken: starter.format.stopToken }
  const sampled = await alone.generate({ prompts, ...sampling, seed: 'answers' })
  const answers = await Promise.all(
    sampled.map(async ({ prompt, tokens, ended }) => ({
      problem: tasks[prompt]?.problem,
      text: await starter.format.completionText(tokens, ended),
      ended,
    })),
  )
  let isSampled = false
  const sampling2 = alone.generate({ prompts, ...sampling, samplesPerPrompt: 32, seed: 'more' }).then(() => {
    isSampled = true
  })
  const scores = await judge.score(answers as never)
  expect(isSampled).toBe(false)
  await sampling2
  expect(scores).toEqual(await (await starter.openJudge(together)).score(answers as never))
  await Promise.all([together.close(), alone.close(), close()])
})

test.each([
  ['four cores', {}, 4, true],
  ['two cores', {}, 2, false],
  ['four cores, and half as many threads', { threads: 2 }, 4, false],
  ['five cores', { threads: 2 }, 5, true],
  ['a GPU', { device: 'cuda' } as const, 16, false],
])('%s: the judge has its own process where there are cores for both', (_, worker, cores, isApart) => {
  const judgeModel = { folder: '', precision: 'float32', weightsHash: null } as const
  expect(hasJudgeProcess({ judgeModel }, worker, cores)).toBe(isApart)
  expect(hasJudgeProcess({ judgeModel: null }, worker, cores)).toBe(false)
})
