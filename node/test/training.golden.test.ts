import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createSession, tensor } from '#engine/session.ts'
import { decoderFeeds } from '#model/decoder/batch.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { readWeights, type Weights } from '#model/decoder/weights.ts'
import { readSafetensors } from '#model/files/safetensors.ts'
import { type LoraAdapter, mergeLora } from '#model/lora/loraFactors.ts'
import { readLora, writeLora } from '#model/lora/loraFiles.ts'
import { tokenScores } from '#model/scoring/tokenScores.ts'
import { encodeModel } from '../model/src/engine/onnxModel.ts'
import { groupAdvantages } from '../model/src/rl/groupAdvantages.ts'
import { createLayeredPass } from '../model/src/rl/layered/layeredPass.ts'
import { learningRateAt } from '../model/src/rl/optimizers/learningRate.ts'
import { createMonolithicPass, type GradientSums } from '../model/src/rl/passes/gradientPass.ts'
import { type PolicyBatchOptions, type PolicySequence, policyTargets } from '../model/src/rl/passes/policyBatch.ts'
import { policyLossKind } from '../model/src/rl/passes/trainingGraphs.ts'
import { createTrainer } from '../model/src/rl/trainer.ts'

// Vectors by scripts/golden/trainingVectors.py: PyTorch, TRL, PEFT and transformers in float32.

const folder = join(import.meta.dirname, 'training.golden')
const record = JSON.parse(readFileSync(join(folder, 'training.json'), 'utf8')) as {
  sequences: {
    prompt: number[]
    completion: number[]
    oldLogprobs: number[]
    referenceLogprobs: number[]
    samplingLogprobs: number[]
    reward: number
    advantage: number
    truncated: boolean
  }[]
  losses: Record<string, number>
  maxCompletionLength: number
  importanceSamplingCap: number
  adamW: { rates: number[]; norms: number[]; peak: number; warmupSteps: number; totalSteps: number }
  tokens: number[]
  families: Record<string, { loss: number; oldLogprobs: number[][]; referenceLogprobs: number[][] }>
}

let config: DecoderConfig
let weights: Weights
let adapter: LoraAdapter
let vectors: Weights

beforeAll(async () => {
  config = await readDecoderConfig(join(folder, 'base'))
  weights = await readWeights(join(folder, 'base'), config)
  adapter = await readLora(join(folder, 'adapter'), config)
  vectors = await readSafetensors(join(folder, 'training.safetensors'))
})

const dapo: PolicyBatchOptions = { clipLow: 0.2, clipHigh: 0.28, klBeta: 0.04, lossType: 'dapo' }

const losses: Record<string, PolicyBatchOptions> = {
  grpo: { ...dapo, lossType: 'grpo' },
  dr_grpo: { ...dapo, lossType: 'dr_grpo', maxCompletionLength: record.maxCompletionLength },
  dapo,
  bnpo: { ...dapo, lossType: 'bnpo' },
  gspo: { ...dapo, lossType: 'grpo', importanceSamplingLevel: 'sequence' },
}

function batch(from: 'own' | 'other' = 'own'): PolicySequence[] {
  return record.sequences.map(s => ({
    tokens: Int32Array.from([...s.prompt, ...s.completion]),
    scored: Int32Array.from(s.completion, (_, i) => s.prompt.length + i),
    oldLogprobs: Float32Array.from(s.oldLogprobs),
    referenceLogprobs: Float32Array.from(s.referenceLogprobs),
    ...(from === 'other' ? { samplingLogprobs: Float32Array.from(s.samplingLogprobs) } : {}),
    advantage: s.advantage,
    truncated: s.truncated,
  }))
}

const baseModel = (): NonNullable<RunOptions['of']> => ({ config, weights, adapter })

interface RunOptions {
  readonly lora?: boolean
  readonly layered?: boolean
  readonly sequences?: PolicySequence[]
  readonly of?: { readonly config: DecoderConfig; readonly weights: Weights; readonly adapter?: LoraAdapter }
}

/** Loss and gradients of the golden batch. */
async function run(options: PolicyBatchOptions, how: RunOptions = {}) {
  const { lora = false, layered = false, sequences = batch(), of: model = baseModel() } = how
  const passOptions = {
    threads: 1,
    temperature: 1,
    adapter: lora ? model.adapter : undefined,
    trained: (name: string) => name.includes('lora_') === lora,
  }
  const pass = layered
    ? await createLayeredPass(model.config, model.weights, { ...passOptions, kept: 'products', headRows: 5 })
    : createMonolithicPass(model.config, model.weights, passOptions)
  const sums: GradientSums = new Map()
  const loss = await pass.run(policyLossKind(options), policyTargets(sequences, options), sums)
  await pass.dispose()
  return { loss, sums }
}

/** The largest difference, relative to the largest of the expected numbers. */
function difference(actual: Float32Array, expected: Float32Array): number {
  expect(actual.length).toBe(expected.length)
  const largest = expected.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-12)
  return actual.reduce((worst, x, i) => Math.max(worst, Math.abs(x - (expected[i] as number))), 0) / largest
}

function expectGradients(sums: GradientSums, prefix: string, count: number): void {
  expect(sums.size).toBe(count)
  for (const [name, gradient] of sums) {
    const expected = vectors.get(prefix + name)?.data as Float32Array
    expect(difference(gradient, expected), name).toBeLessThan(1e-4)
  }
}

describe('losses within 1e-5 of TRL and all gradients within 1e-4 of PyTorch', () => {
  for (const [name, options] of Object.entries(losses)) {
    for (const layered of [false, true]) {
      test(`${name}, ${layered ? 'layered' : 'monolithic'}`, async () => {
        const { loss, sums } = await run(options, { layered })
        expect(Math.abs(loss - (record.losses[name] as number))).toBeLessThan(1e-5)
        expectGradients(sums, `full.${name}.`, weights.size)
      })
    }
  }

  for (const name of ['grpo', 'dr_grpo', 'dapo', 'gspo']) {
    test(`every factor of an adapter, ${name}`, async () => {
      const layered = name === 'grpo' || name === 'dapo'
      const { loss, sums } = await run(losses[name] as PolicyBatchOptions, { lora: true, layered })
      expect(Math.abs(loss - (record.losses[`lora.${name}`] as number))).toBeLessThan(1e-5)
      expectGradients(sums, `lora.${name}.`, 2 * 7 * config.layers)
    })
  }

  test('truncated completions masked', async () => {
    const { loss } = await run({ ...dapo, maskTruncatedCompletions: true })
    expect(Math.abs(loss - (record.losses.masked as number))).toBeLessThan(1e-5)
  })

  for (const mode of ['token_truncate', 'sequence_truncate'] as const) {
    test(`rollouts of another policy, ${mode}`, async () => {
      const cap = { importanceSamplingMode: mode, importanceSamplingCap: record.importanceSamplingCap }
      const { loss } = await run({ ...dapo, ...cap }, { sequences: batch('other') })
      expect(Math.abs(loss - (record.losses[mode] as number))).toBeLessThan(1e-5)
    })
  }
})

describe('the other families', () => {
  for (const [family, golden] of Object.entries(record.families)) {
    test(`${family}: the loss is within 1e-5 and all gradients within 1e-4`, async () => {
      const path = join(import.meta.dirname, '../model/src/model/golden/decoders', family)
      const ownConfig = await readDecoderConfig(path)
      const model = { config: ownConfig, weights: await readWeights(path, ownConfig) }
      const sequences = batch().map((sequence, i) => ({
        ...sequence,
        oldLogprobs: Float32Array.from(golden.oldLogprobs[i] ?? []),
        referenceLogprobs: Float32Array.from(golden.referenceLogprobs[i] ?? []),
      }))
      for (const layered of [false, true]) {
        const { loss, sums } = await run(dapo, { layered, sequences, of: model })
        expect(Math.abs(loss - golden.loss)).toBeLessThan(1e-5)
        expectGradients(sums, `${family}.`, model.weights.size)
      }
    })
  }
})

test('advantages are those of TRL', () => {
  const rewards = Float32Array.from(record.sequences, s => s.reward)
  const { advantages } = groupAdvantages([rewards], { scaleRewards: 'group' })
  for (const [i, s] of record.sequences.entries()) expect(advantages[0]?.[i]).toBeCloseTo(s.advantage, 5)
})

test('AdamW with clipping and a cosine schedule is within 1e-4 of PyTorch after 10 steps', async () => {
  const { rates, norms, peak, warmupSteps, totalSteps } = record.adamW
  const trained: Weights = new Map([...weights].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]))
  const optimizer = { kind: 'adamW', beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01 } as const
  const trainer = await createTrainer(config, trained, { threads: 1, clipNorm: 0.5, optimizer })
  for (const [step, rate] of rates.entries()) {
    const learningRate = learningRateAt(step, { kind: 'cosine', peak, warmupSteps, totalSteps })
    expect(learningRate).toBeCloseTo(rate, 12)
    const { gradientNorm } = await trainer.policyStep(batch(), { ...dapo, learningRate })
    expect(Math.abs(gradientNorm / (norms[step] as number) - 1)).toBeLessThan(1e-3)
  }
  await trainer.dispose()
  for (const [name, { data }] of trained) {
    expect(difference(data, vectors.get(`adamw.${name}`)?.data as Float32Array), name).toBeLessThan(1e-4)
  }
})

/** Logits, [tokens, vocabulary], of the weights with an adapter alongside. */
async function logits(of: Weights, lora?: LoraAdapter): Promise<Float32Array> {
  const scores = tokenScores(config, 'f32', 1, lora?.config)
  const session = await createSession(encodeModel({ logits: scores.logits }), { threads: 1 })
  const tokens = Int32Array.from([...record.tokens, 0])
  const scored = Int32Array.from(record.tokens, (_, i) => i + 1)
  const { targets: _, ...feeds } = decoderFeeds(config, [{ tokens, scored }]).feeds
  const tensors = [...of, ...(lora?.factors ?? [])].map(([name, { shape, data }]) => [name, tensor('f32', data, shape)])
  const outputs = await session.run({ ...feeds, ...Object.fromEntries(tensors) })
  await session.dispose()
  return outputs.logits?.data as Float32Array
}

test('logits with a PEFT adapter are within 1e-4, both alongside the weights and merged into them', async () => {
  const expected = vectors.get('logits.adapter')?.data as Float32Array
  for (const actual of [await logits(weights, adapter), await logits(mergeLora(weights, adapter))]) {
    const worst = actual.reduce((most, x, i) => Math.max(most, Math.abs(x - (expected[i] as number))), 0)
    expect(worst).toBeLessThan(1e-4)
  }
  expect(difference(await logits(weights), expected)).toBeGreaterThan(0.1)
})

test('an exported adapter is the file that PEFT wrote, tensor for tensor', async () => {
  const exported = await mkdtemp(join(tmpdir(), 'waggle-adapter-'))
  await writeLora(exported, adapter)
  const read = (path: string) => readSafetensors(join(path, 'adapter_model.safetensors'))
  expect(await read(exported)).toEqual(await read(join(folder, 'adapter')))
  const written = JSON.parse(await readFile(join(exported, 'adapter_config.json'), 'utf8'))
  const peft = JSON.parse(await readFile(join(folder, 'adapter/adapter_config.json'), 'utf8'))
  for (const field of ['peft_type', 'task_type', 'r', 'lora_alpha', 'use_rslora', 'bias', 'fan_in_fan_out']) {
    expect(written[field], field).toEqual(peft[field])
  }
  expect(written.target_modules.sort()).toEqual(peft.target_modules.sort())
  await rm(exported, { recursive: true })
})
