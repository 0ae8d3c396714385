import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights } from '#model/decoder/weights.ts'
import { initLora, type LoraAdapter } from '#model/lora/loraFactors.ts'
import { groupStep } from './groupStep.ts'
import { createTrainer } from './trainer.ts'
import type { TrainerOptions } from './trainerOptions.ts'

const fresh = () =>
  initLora(tinyConfig, { rank: 4, alpha: 8, targets: ['q_proj', 'up_proj'], rankStabilized: false }, 'a')

const completion = (token: number, reward: number) => ({
  tokens: Int32Array.of(token, token),
  logprobs: Float32Array.of(-3.2, -3.2),
  reward,
})
const group = { prompt: Int32Array.of(1, 2), completions: [completion(5, 1), completion(6, 0), completion(7, 0)] }

async function train(adapter: LoraAdapter, options: TrainerOptions = {}) {
  const weights = tinyWeights()
  const trainer = await createTrainer(tinyConfig, weights, { threads: 1, adapter, ...options })
  const losses = []
  for (let i = 0; i < 4; i++)
    losses.push((await groupStep(trainer, [group], { learningRate: 1e-2 })).step?.loss as number)
  const state = await trainer.state()
  await trainer.dispose()
  return { weights, losses, state }
}

test('training an adapter lowers the loss and leaves the weights as they are', async () => {
  const adapter = fresh()
  const { weights, losses, state } = await train(adapter)
  expect(losses.at(-1)).toBeLessThan(losses[0] as number)
  expect(hashWeights(weights)).toBe(hashWeights(tinyWeights()))
  expect(hashWeights(adapter.factors)).not.toBe(hashWeights(fresh().factors))
  expect(state.tensors.size).toBe(2 * adapter.factors.size)
})

test('a layered trainer learns the same adapter bit for bit, and nearly the same in as little memory as will do', async () => {
  const [monolithic, whole, cut] = [fresh(), fresh(), fresh()]
  const first = await train(monolithic)
  await train(whole, { layered: true, memoryBytes: 1e9 })
  expect(hashWeights(whole.factors)).toBe(hashWeights(monolithic.factors))
  const last = await train(cut, { layered: true, memoryBytes: 1_000_000 })
  for (const [i, loss] of last.losses.entries()) expect(loss).toBeCloseTo(first.losses[i] as number, 4)
})

test('a step that no split can fit into its memory is refused before it begins', async () => {
  await expect(train(fresh(), { layered: true, memoryBytes: 1000 })).rejects.toMatchObject({ code: 'TRAINER' })
})

test('the reference of an adapter is the base model: without an update there is no divergence, afterwards there is', async () => {
  for (const options of [{}, { layered: true, memoryBytes: 1e9 }]) {
    const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, adapter: fresh(), ...options })
    const still = [{ ...group, completions: group.completions.map(c => ({ ...c, logprobs: c.logprobs.slice() })) }]
    const loss = async (klBeta: number) =>
      (await groupStep(trainer, still, { learningRate: 0.05, klBeta, clipHigh: 1e6 })).step?.loss as number
    const other = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, adapter: fresh(), ...options })
    const plain = (await groupStep(other, still, { learningRate: 0, clipHigh: 1e6 })).step?.loss as number
    expect(await loss(10)).toBeCloseTo(plain, 5)
    const moved = (await groupStep(trainer, still, { learningRate: 0, clipHigh: 1e6 })).step?.loss as number
    expect(await loss(10)).toBeGreaterThan(moved + 0.01)
    await trainer.dispose()
    await other.dispose()
  }
})

const sequence = (tokens: number[], scored: number) => ({
  tokens: Int32Array.from(tokens),
  scored: Int32Array.from({ length: scored }, (_, i) => tokens.length - scored + i),
  advantage: 1,
})
const penalized = { learningRate: 0, clipLow: 0.2, clipHigh: 0.28, klBeta: 1 }

test('references that are given are used, and the others computed', async () => {
  const trainer = await createTrainer(tinyConfig, tinyWeights(), { threads: 1, adapter: fresh() })
  const batch = [sequence([1, 2, 3, 4], 2), sequence([1, 2, 5], 1)]
  const own = await trainer.logprobs(batch) // those of the base too: an adapter begins at zero
  const lossWith = async (...references: (Float32Array | undefined)[]) =>
    (
      await trainer.policyStep(
        batch.map((one, i) => (references[i] ? { ...one, referenceLogprobs: references[i] } : one)),
        penalized,
      )
    ).loss
  const far = Float32Array.of(-9)
  expect(await lossWith(own[0], far)).not.toBeCloseTo(await lossWith(), 3)
  expect(await lossWith(undefined, far)).toBeCloseTo(await lossWith(own[0], far), 6)
  await trainer.dispose()
})

test.each([true, false])(
  'sequences without scored tokens have no log-probabilities and no loss, layered: %s',
  async layered => {
    // Each sequence is a part of its own.
    const options = { threads: 1, adapter: fresh(), layered, maxTokens: 1 }
    const trainer = await createTrainer(tinyConfig, tinyWeights(), options)
    const [empty, one] = [sequence([1, 2, 3, 4], 0), sequence([1, 2, 3], 1)]
    expect(await trainer.logprobs([empty])).toEqual([new Float32Array()])
    const [own] = await trainer.logprobs([one])
    expect(await trainer.logprobs([empty, one, empty])).toEqual([new Float32Array(), own, new Float32Array()])
    expect(await trainer.policyStep([empty], penalized)).toMatchObject({ loss: 0, tokens: 0, oldLogprobs: [null] })
    expect((await trainer.policyStep([empty, one], penalized)).oldLogprobs).toEqual([null, own])
    await trainer.dispose()
  },
)
