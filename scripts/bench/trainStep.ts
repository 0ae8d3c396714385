/**
 * One measured training step in its own process: `node trainStep.ts '{"train":"lora","memoryBytes":…}'` prints a
 * `StepMeasurement` as JSON.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Graph } from '../../node/model/src/engine/graph.ts'
import { encodeModel } from '../../node/model/src/engine/onnxModel.ts'
import { createSession, tensor } from '../../node/model/src/engine/session.ts'
import { linear } from '../../node/model/src/engine/tensor.ts'
import { commonShape } from '../../node/model/src/model/decoder/commonShape.ts'
import { decoderWeightShapes } from '../../node/model/src/model/decoder/decoderWeights.ts'
import type { Weights } from '../../node/model/src/model/decoder/weights.ts'
import { allLinear } from '../../node/model/src/model/lora/loraConfig.ts'
import { initLora } from '../../node/model/src/model/lora/loraFactors.ts'
import type { PolicySequence } from '../../node/model/src/rl/passes/policyBatch.ts'
import { createTrainer } from '../../node/model/src/rl/trainer.ts'
import { stepShape } from './trainingShape.ts'

export interface StepRequest {
  readonly train: 'lora' | 'layers'
  /** Precision of the products with an adapter's base. */
  readonly precision: 'float32' | 'int8'
  readonly threads: number
  /** Memory budget of the step besides the weights. */
  readonly memoryBytes: number
}

export interface StepMeasurement {
  /** Duration of the step whose share of the peak is the median of `MEASURED`, after one that creates sessions and memory. */
  readonly seconds: number
  /** Highest resident memory of the process while it stepped, weights included. */
  readonly peakBytes: number
  /** Operations a second of a large float32 product, best of several, just before and just after that step. */
  readonly productPeak: number
}

/** Steps, each between two measurements of the peak, which moves from minute to minute on a shared machine. */
const MEASURED = 3

const request = JSON.parse(process.argv[2] ?? '') as StepRequest
const weights = randomWeights()
const lora = { rank: stepShape.rank, alpha: 32, targets: allLinear, rankStabilized: false }
const trained =
  request.train === 'lora' ? { adapter: initLora(commonShape, lora, '0') } : { parameters: 'layers' as const }
const { threads, memoryBytes, precision } = request
const trainer = await createTrainer(commonShape, weights, {
  ...trained,
  threads,
  memoryBytes,
  precision,
  layered: true,
})
const options = { learningRate: 1e-6, clipLow: 0.2, clipHigh: 0.2, klBeta: 0, lossType: 'grpo' } as const
let peakBytes = 0
await timedStep()
const steps: { seconds: number; productPeak: number }[] = []
let before = await productPeak(threads)
while (steps.length < MEASURED) {
  const seconds = await timedStep()
  const after = await productPeak(threads)
  steps.push({ seconds, productPeak: Math.max(before, after) })
  before = after
}
await trainer.dispose()
const typical = steps.sort((a, b) => a.seconds * a.productPeak - b.seconds * b.productPeak)[MEASURED >> 1]
process.stdout.write(`${JSON.stringify({ ...typical, peakBytes } as StepMeasurement)}\n`)

/** Seconds of a step, whose peak of resident memory is counted from its begin. */
async function timedStep(): Promise<number> {
  writeFileSync('/proc/self/clear_refs', '5')
  const start = performance.now()
  await trainer.policyStep(batch(), options)
  const seconds = (performance.now() - start) / 1000
  const highest = 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  peakBytes = Math.max(peakBytes, highest)
  return seconds
}

/** Weights that are cheap to make: one block of noise, over and over. */
function randomWeights(): Weights {
  let state = 1
  const noise = Float32Array.from({ length: 1_000_003 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return 0.07 * (state / 2 ** 32 - 0.5)
  })
  const all: Weights = new Map()
  for (const [name, shape] of decoderWeightShapes(commonShape)) {
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1))
    if (name.endsWith('norm.weight')) data.fill(1)
    else {
      for (let at = 0; at < data.length; at += noise.length) data.set(noise.subarray(0, data.length - at), at)
    }
    all.set(name, { shape, data })
  }
  return all
}

function batch(): PolicySequence[] {
  const { sequences, prompt, completion } = stepShape
  return Array.from({ length: sequences }, (_, s) => ({
    tokens: Int32Array.from(
      { length: prompt + completion + 1 },
      (_, t) => ((t > prompt ? s * 7919 : 0) + t * 104_729) % commonShape.vocabSize,
    ),
    scored: Int32Array.from({ length: completion }, (_, i) => prompt + 1 + i),
    advantage: s % 2 ? 1 : -1,
    oldLogprobs: new Float32Array(completion).fill(-12),
  }))
}

/** Operations a second of [1536, 896] x [896, 4864] and of 2048 cubed, the better of the two. */
async function productPeak(threads: number): Promise<number> {
  let best = 0
  for (const [rows, inner, columns] of [
    [1536, 896, 4864],
    [2048, 2048, 2048],
  ] as const) {
    const graph = new Graph()
    const [x, w] = [graph.input('x', 'f32', [rows, inner]), graph.input('w', 'f32', [columns, inner])]
    const session = await createSession(encodeModel({ y: linear(x, w) }), { threads })
    const operand = (length: number, width: number) =>
      tensor('f32', new Float32Array(length * width).fill(0.5), [length, width])
    const feeds = { x: operand(rows, inner), w: operand(columns, inner) }
    const places = { y: operand(rows, columns) }
    for (let i = 0; i < 12; i++) {
      const start = performance.now()
      await session.run(feeds, places)
      best = Math.max(best, (2 * rows * inner * columns) / ((performance.now() - start) / 1000))
    }
    await session.dispose()
  }
  return best
}
