import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadModel, train } from './index.ts'

const folder = join(import.meta.dirname, '../model/golden/decoders/llama-linear')
const tasks = [{ prompt: Int32Array.of(1, 2, 3) }]
const sampling = { maxNewTokens: 4 }

/** Metrics of one step whose three completions get these rewards. */
async function metricsOf(rewards: readonly number[], minDeviation?: number) {
  const model = await loadModel(folder, { threads: 1 })
  const left = [...rewards]
  const update = { learningRate: 1e-3, ...(minDeviation === undefined ? {} : { minDeviation }) }
  const reward = () => left.shift() as number
  const [metrics] = await train(model, { tasks, steps: 1, groupSize: rewards.length, reward, sampling, update })
  await model.dispose()
  return metrics
}

test('rewards that differ a little teach, unless a least deviation is asked for', async () => {
  const learned = await metricsOf([0.5, 0.5, 0.501])
  expect(learned).toMatchObject({ groupsUsed: 1, groupsDropped: 0, fracRewardZeroStd: 0 })
  expect(learned?.gradientNorm).toBeGreaterThan(0)
  const dropped = { groupsUsed: 0, groupsDropped: 1, fracRewardZeroStd: 0, loss: null }
  expect(await metricsOf([0.5, 0.5, 0.501], 0.05)).toMatchObject(dropped)
})

test('equal rewards teach nothing and have no deviation, whatever their mean is rounded to', async () => {
  const dropped = { groupsUsed: 0, groupsDropped: 1, fracRewardZeroStd: 1, loss: null }
  expect(await metricsOf([0.1, 0.1, 0.1])).toMatchObject(dropped)
})

test('an invalid option of the update is named before anything is sampled', async () => {
  const model = await loadModel(folder, { threads: 1 })
  let rewarded = 0
  const reward = () => rewarded++
  const trained = (update: object) =>
    train(model, { tasks, steps: 1, reward, sampling, update: { learningRate: 1e-3, ...update } })
  await expect(trained({ learningRate: -1 })).rejects.toMatchObject({ code: 'MODEL_INPUT' })
  await expect(trained({ loss_type: 'grpo' })).rejects.toThrow('loss_type')
  await expect(trained({ lossType: 'dr_grpo' })).rejects.toThrow('maxCompletionLength')
  expect(rewarded).toBe(0)
  await model.dispose()
})
