import { expect, test } from 'vitest'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { FLOAT_PART, floatPartTensors } from '#model/decoder/vocabularyParts.ts'
import type { LossKind } from '../passes/trainingGraphs.ts'
import { headModel, headScoringModel } from './headModel.ts'

/** Two parts and a shorter one. */
const config = { ...tinyConfig, vocabSize: 2 * FLOAT_PART + 1000 }
const loss: LossKind = { kind: 'policy', clipLow: 0.2, clipHigh: 0.28, klBeta: 0.04, importanceSamplingLevel: 'token' }
const weights = tinyWeights(config)
const rows = 8
const wave = (count: number, seed: number) => Float32Array.from({ length: count }, (_, i) => Math.sin(i * 1.7 + seed))
const perRow = (seed: number) => tensor('f32', wave(rows, seed), [rows])
/** Sharp enough for likely and unlikely tokens, first and last ones of parts among them. */
const hidden = tensor(
  'f32',
  wave(rows * config.hiddenSize, 1).map(x => 9 * x),
  [rows, config.hiddenSize],
)
const tokens = [0, FLOAT_PART - 1, FLOAT_PART, 2 * FLOAT_PART - 1, 2 * FLOAT_PART, config.vocabSize - 1, 77, 12_000]
const feeds: Record<string, Tensor> = {
  ...{ hidden, targets: tensor('i64', BigInt64Array.from(tokens, BigInt), [rows]) },
  ...{ weights: perRow(2), advantages: perRow(3), oldLogprobs: perRow(4), referenceLogprobs: perRow(5) },
  ...Object.fromEntries([...weights].map(([name, { shape, data }]) => [name, tensor('f32', data, shape)])),
  ...Object.fromEntries(floatPartTensors(config, weights)),
}

type Head = 'frozen' | 'trained' | 'scoring'

async function run(head: Head, threads = 1, to = rows): Promise<Record<string, Float32Array>> {
  const trained = (name: string) => head === 'trained' || name === 'model.norm.weight'
  const model =
    head === 'scoring'
      ? headScoringModel(config, { temperature: 0.8 })
      : headModel(config, loss, { temperature: 0.8, trained })
  const session = await createSession(model, { threads })
  const fed = [...model.inputs.keys()].map((name): [string, Tensor] => {
    const t = feeds[name] as Tensor
    if (t.shape[0] !== rows) return [name, t]
    const data = t.data.subarray(0, (t.data.length / rows) * to)
    return [name, { ...t, data, shape: [to, ...t.shape.slice(1)] } as Tensor]
  })
  const outputs = await session.run(Object.fromEntries(fed))
  await session.dispose()
  return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]))
}

const frozen = await run('frozen')

test('in parts of a vocabulary loss and gradients are those of the whole', async () => {
  const whole = await run('trained')
  for (const name of ['loss', 'dhidden', 'gradient.model.norm.weight']) {
    const [part, all] = [frozen[name], whole[name]] as [Float32Array, Float32Array]
    const difference = Math.hypot(...part.map((x, i) => x - (all[i] as number)))
    expect(difference / Math.hypot(...all), name).toBeLessThan(2e-6)
  }
})

test('bits are the same for 1 and 2 threads, and for some rows at a time', async () => {
  expect(await run('frozen', 2)).toEqual(frozen)
  const [some, all] = [await run('frozen', 1, 3), frozen]
  expect(some.dhidden).toEqual(all.dhidden?.subarray(0, 3 * config.hiddenSize))
})

test('log-probabilities without a gradient are those of real numbers', async () => {
  const { logprobs } = await run('scoring')
  for (const [r, token] of tokens.entries()) expect(logprobs?.[r]).toBeCloseTo(exactLogprob(r, token), 4)
})

test('a vocabulary of one part has the graph of a whole one', () => {
  const hash = (isTrained: boolean) => headScoringModel(tinyConfig, { trained: () => isTrained }).hash
  expect(hash(false)).toBe(hash(true))
})

function exactLogprob(row: number, token: number): number {
  const { vocabSize, hiddenSize, rmsNormEps } = config
  const [table, norm] = ['model.embed_tokens.weight', 'model.norm.weight'].map(name => weights.get(name)?.data)
  const state = (hidden.data as Float32Array).subarray(row * hiddenSize, (row + 1) * hiddenSize)
  const root = Math.sqrt(state.reduce((sum, x) => sum + x * x, 0) / hiddenSize + rmsNormEps)
  const normal = Array.from(state, (x, k) => (x / root) * (norm?.[k] as number))
  const logits = Array.from({ length: vocabSize }, (_, v) =>
    normal.reduce((sum, x, k) => sum + (x * (table?.[v * hiddenSize + k] as number)) / 0.8, 0),
  )
  const most = Math.max(...logits)
  return (logits[token] as number) - most - Math.log(logits.reduce((sum, x) => sum + Math.exp(x - most), 0))
}
