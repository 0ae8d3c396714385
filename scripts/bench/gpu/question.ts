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
  readonly what: 'decode' | 'bandwidth' | 'peak' | 'step' | 'round' | 'logprobs'
  readonly shape: keyof typeof gpuShapes
  readonly folder: string
  readonly device: Device
  readonly threads: number
  /** Precision of `decode`, `logprobs`, a step's base, and `peak`; float32 by default. */
  readonly precision?: 'float32' | 'float16'
  /** Rows of `decode`. */
  readonly rows?: number
}

const asked = JSON.parse(process.argv[2] ?? '') as GpuQuestion
const { device, threads, folder, precision = 'float32' } = asked
const shape: GpuShape = gpuShapes[asked.shape]
const measurements: Record<GpuQuestion['what'], () => Promise<object>> = {
  decode: () => decode(asked.rows ?? 1, shape.decodeTokens),
  bandwidth: async () => ({ perSec: (4 * shape.width ** 2 * CHAIN) / (await chainSeconds(1, 'f32')) }),
  peak: async () => {
    const seconds = await chainSeconds(shape.width / 2, precision === 'float16' ? 'f16' : 'f32')
    return { perSec: (2 * (shape.width / 2) ** 3 * CHAIN) / seconds }
  },
  step: async () => ({ seconds: median(await stepSeconds()) }),
  round,
  logprobs,
}
/** Products in a row within one run, whose start counts for little then. */
const CHAIN = 16

/** Best seconds of a chain of products of x [rows, width] by one matrix, which is larger than a GPU's cache where rows is 1. */
async function chainSeconds(rows: number, real: 'f16' | 'f32'): Promise<number> {
  const width = rows === 1 ? shape.width : rows
  const graph = new Graph()
  const full = (value: Value, height: number) => expand(cast(value, real), [height, width])
  const [x, w] = ['x', 'w'].map(name => graph.input(name, 'f32', [1, 1])) as [Value, Value]
  const matrix = full(w, width)
  let y = full(x, rows)
  for (let i = 0; i < CHAIN; i++) y = matMul(y, matrix)
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
  const request = { prompts: [promptOf(64)], samplesPerPrompt: rows, temperature: 1, stopToken: -1, seed: 'bench' }
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

/** Seconds of some GRPO steps of an adapter, after one that makes sessions. */
async function stepSeconds(completion = shape.step.completion, count = 3): Promise<number[]> {
  const config = await readDecoderConfig(folder)
  const weights = await readWeights(folder, config)
  const lora = { rank: shape.step.rank, alpha: 32, targets: allLinear, rankStabilized: false }
  const adapter = initLora(config, lora, '0')
  const trainer = await createTrainer(config, weights, { device, threads, adapter, layered: true, precision })
  const prompt = promptOf(shape.step.prompt)
  const batch = Array.from({ length: shape.step.sequences }, (_, s) => ({
    tokens: Int32Array.from({ length: prompt.length + completion }, (_, i) =>
      i < prompt.length ? (prompt[i] as number) : (i * 31 + s * 17) % config.vocabSize,
    ),
    scored: Int32Array.from({ length: completion }, (_, i) => prompt.length + i),
    advantage: s % 2 ? 1 : -1,
    oldLogprobs: new Float32Array(completion).fill(-Math.log(config.vocabSize)),
  }))
  const options = { learningRate: 1e-6, clipLow: 0.2, clipHigh: 0.2, klBeta: 0, lossType: 'grpo' } as const
  const seconds: number[] = []
  for (let i = 0; i <= count; i++) seconds.push(await timed(() => trainer.policyStep(batch, options)))
  await trainer.dispose()
  return seconds.slice(1)
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

async function logprobs() {
  const scorer = await loadScorer(folder, { device, threads, precision })
  const [scores] = await scorer.score([{ tokens: promptOf(2 * shape.step.prompt), from: 1 }])
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
