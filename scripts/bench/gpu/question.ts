/** One measurement of Waggle on a device, in its own process: `node question.ts '{"what":"decode",…}'` prints one JSON line. */
import type { Device } from '../../../node/model/src/engine/devices/device.ts'
import { Graph } from '../../../node/model/src/engine/graph.ts'
import { encodeModel } from '../../../node/model/src/engine/onnxModel.ts'
import { createSession, tensor } from '../../../node/model/src/engine/session.ts'
import { cast, expand, matMul, maxOver } from '../../../node/model/src/engine/tensor.ts'
import type { Value } from '../../../node/model/src/engine/value.ts'
import { readDecoderConfig } from '../../../node/model/src/model/decoder/decoderConfig.ts'
import { readWeights } from '../../../node/model/src/model/decoder/weights.ts'
import { loadGenerator } from '../../../node/model/src/model/generation/loadGenerator.ts'
import { promptRuns } from '../../../node/model/src/model/generation/promptRuns.ts'
import { allLinear } from '../../../node/model/src/model/lora/loraConfig.ts'
import { initLora } from '../../../node/model/src/model/lora/loraFactors.ts'
import { loadScorer } from '../../../node/model/src/model/scoring/loadScorer.ts'
import { createTrainer } from '../../../node/model/src/rl/trainer.ts'
import { type GpuShape, gpuShapes } from './shapes.ts'

export interface GpuQuestion {
  readonly what: 'decode' | 'drawn' | 'bandwidth' | 'peak' | 'step' | 'gradient' | 'round' | 'logprobs'
  readonly shape: keyof typeof gpuShapes
  readonly folder: string
  readonly device: Device
  readonly threads: number
  /** Precision of generation, scores, a step's base, and `peak`; float32 by default. */
  readonly precision?: 'float32' | 'float16'
  /** Rows of `decode`, and whether it samples with top-p; greedy by default. */
  readonly rows?: number
  readonly isSampled?: boolean
  /** Tokens of `logprobs`, and the first that counts. */
  readonly tokens?: readonly number[]
  readonly from?: number
}

const asked = JSON.parse(process.argv[2] ?? '') as GpuQuestion
const { device, threads, folder, precision = 'float32' } = asked
const shape: GpuShape = gpuShapes[asked.shape]
const measurements: Record<GpuQuestion['what'], () => Promise<object>> = {
  decode: () => decode(asked.rows ?? 1, shape.decodeTokens),
  drawn,
  bandwidth: async () => {
    const seconds = await chainSeconds(1, 'f32', READS)
    return { perSec: (4 * shape.width ** 2 * READS) / seconds }
  },
  peak: async () => {
    const seconds = await chainSeconds(shape.width / 2, precision === 'float16' ? 'f16' : 'f32', PRODUCTS)
    return { perSec: (2 * (shape.width / 2) ** 3 * PRODUCTS) / seconds }
  },
  step: async () => ({ seconds: median(await stepSeconds()) }),
  gradient,
  round,
  logprobs: () => logprobs(Int32Array.from(asked.tokens ?? promptOf(2 * shape.step.prompt)), asked.from ?? 1),
}
/**
 * Products in a row within one run, so that its start and what it reads back count for little: reads of 137 GB take 29 ms on an H200, and products of
 * 9 teraflops as long if a third of its peak in float16 is reached, or 130 ms at its peak in float32.
 */
const [READS, PRODUCTS] = [512, 64]

/** Best seconds of a chain of products of x [rows, width] by one matrix, which is larger than a GPU's cache where rows is 1. */
async function chainSeconds(rows: number, real: 'f16' | 'f32', chain: number): Promise<number> {
  const width = rows === 1 ? shape.width : rows
  const graph = new Graph()
  const full = (value: Value, height: number) => expand(cast(value, real), [height, width])
  const [x, w] = ['x', 'w'].map(name => graph.input(name, 'f32', [1, 1])) as [Value, Value]
  const matrix = full(w, width)
  let y = full(x, rows)
  for (let i = 0; i < chain; i++) y = matMul(y, matrix)
  const session = await createSession(encodeModel({ y: maxOver(cast(y, 'f32'), 1) }, [], device), { threads })
  const feeds = { x: tensor('f32', Float32Array.of(1), [1, 1]), w: tensor('f32', Float32Array.of(1 / width), [1, 1]) }
  const seconds: number[] = []
  for (let i = 0; i < 6; i++) seconds.push(await timed(() => session.run(feeds)))
  await session.dispose()
  return Math.min(...seconds.slice(1))
}

async function decode(rows: number, tokens: number) {
  const generator = await loadGenerator(folder, { device, threads, precision })
  const steps: number[] = []
  let drawn = 0
  const drawing = asked.isSampled ? { temperature: 1, topP: 0.95 } : { temperature: 0 }
  const request = { ...drawing, prompts: [promptOf(64)], samplesPerPrompt: rows, stopToken: -1, seed: 'bench' }
  await generator.generate({ ...request, maxNewTokens: 4 })
  await generator.generate({
    ...request,
    maxNewTokens: tokens,
    onToken: () => {
      if (++drawn % rows === 0) steps.push(performance.now())
    },
  })
  await generator.dispose()
  const { part } = await promptRuns(device, precision === 'float16' ? 'f16' : 'f32')
  const tokensPerSec = (1000 * rows) / median(steps.slice(1).map((at, i) => at - (steps[i] as number)))
  return { tokensPerSec, described: `prompts in parts of ${part}` }
}

/** Tokens that are drawn over the cache in the device's memory, with their log-probabilities under the whole distribution. */
async function drawn() {
  const generator = await loadGenerator(folder, { device, threads, precision })
  const prompt = promptOf(64)
  const request = { prompts: [prompt], samplesPerPrompt: 1, temperature: 1, stopToken: -1, seed: 'bench' }
  const [completion] = await generator.generate({ ...request, maxNewTokens: shape.decodeTokens })
  await generator.dispose()
  const { tokens = [], logprobs = [] } = completion ?? {}
  return { tokens: [...prompt, ...tokens], from: prompt.length, logprobs: [...logprobs] }
}

/** Seconds of some GRPO steps of an adapter, after one that makes sessions. */
async function stepSeconds(completion = shape.step.completion, count = 3): Promise<number[]> {
  const { trainer } = await openTrainer()
  const oldLogprobs = new Float32Array(completion).fill(-Math.log(shape.config.vocabSize))
  const batch = batchOf(shape.step.sequences, completion).map(sequence => ({ ...sequence, oldLogprobs }))
  const seconds: number[] = []
  for (let i = 0; i <= count; i++) seconds.push(await timed(() => trainer.policyStep(batch, STEP)))
  await trainer.dispose()
  return seconds.slice(1)
}

/** Elements of a gradient between two that are compared: a prime, so that they are of all rows and columns. */
const STRIDE = 997

/** AdamW's default. */
const BETA1 = 0.9

/** An adapter's gradient, from AdamW's first moments after one step from zero. */
async function gradient() {
  const { trainer, adapter } = await openTrainer({ clipNorm: 1e9 })
  // Factors that are zero leave the other ones without a gradient.
  for (const [name, { data }] of adapter.factors)
    if (name.endsWith('lora_B.weight')) for (const i of data.keys()) data[i] = 0.01 * Math.sin(i * 1.7)
  await trainer.policyStep(batchOf(2, Math.min(64, shape.step.completion)), STEP)
  const { tensors } = await trainer.state()
  await trainer.dispose()
  let [squares, at] = [0, 0]
  const sampled: number[] = []
  for (const name of [...adapter.factors.keys()].sort())
    for (const mean of tensors.get(`mean.${name}`) as Float32Array) {
      const x = mean / (1 - BETA1)
      squares += x * x
      if (at++ % STRIDE === 0) sampled.push(x)
    }
  return { norm: Math.sqrt(squares), sampled }
}

const STEP = { learningRate: 1e-6, clipLow: 0.2, clipHigh: 0.2, klBeta: 0, lossType: 'grpo' } as const

async function openTrainer(options: { clipNorm?: number } = {}) {
  const config = await readDecoderConfig(folder)
  const weights = await readWeights(folder, config)
  const lora = { rank: shape.step.rank, alpha: 32, targets: allLinear, rankStabilized: false }
  const adapter = initLora(config, lora, '0')
  const own = { device, threads, adapter, layered: true, precision }
  return { adapter, trainer: await createTrainer(config, weights, { ...own, ...options }) }
}

function batchOf(sequences: number, completion: number) {
  const prompt = promptOf(shape.step.prompt)
  return Array.from({ length: sequences }, (_, s) => ({
    tokens: Int32Array.from({ length: prompt.length + completion }, (_, i) =>
      i < prompt.length ? (prompt[i] as number) : (i * 31 + s * 17) % shape.config.vocabSize,
    ),
    scored: Int32Array.from({ length: completion }, (_, i) => prompt.length + i),
    advantage: s % 2 ? 1 : -1,
  }))
}

/** A solver's round: its completions, and a step on them. */
async function round() {
  const generator = await loadGenerator(folder, { device, threads, precision })
  const { sequences, prompt } = shape.step
  const request = { prompts: [promptOf(prompt)], temperature: 1, stopToken: -1, seed: 'bench' }
  await generator.generate({ ...request, samplesPerPrompt: 2, maxNewTokens: 2 })
  const whole = { ...request, samplesPerPrompt: sequences, maxNewTokens: shape.roundTokens }
  const generateSec = await timed(() => generator.generate(whole))
  await generator.dispose()
  const stepSec = median(await stepSeconds(shape.roundTokens, 1))
  return { seconds: generateSec + stepSec, generateSec, stepSec }
}

async function logprobs(tokens: Int32Array, from: number) {
  const scorer = await loadScorer(folder, { device, threads, precision })
  const [scores] = await scorer.score([{ tokens, from }])
  await scorer.dispose()
  return { logprobs: [...(scores?.logprobs ?? [])] }
}

function promptOf(length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => (i * 7919 + 3) % shape.config.vocabSize)
}

async function timed(job: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await job()
  return (performance.now() - start) / 1000
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number
}

process.stdout.write(`${JSON.stringify(await measurements[asked.what]())}\n`)
