import ort from 'onnxruntime-node'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { DeviceLearner } from '#rl/device/deviceLearner.ts'
import { createDevicePass } from '#rl/device/devicePass.ts'

// Takes a step by WebGPU in two parts, with the output layer in pieces, and again with some of its runs failing. Prints how many steps failed,
// and the failures after which other tensors were on the device than before.
let [live, runs, failing] = [0, 0, 0]
const { create } = ort.InferenceSession
const { dispose } = ort.Tensor.prototype
ort.Tensor.prototype.dispose = function (this: ort.Tensor) {
  if (this.location === 'gpu-buffer') live--
  dispose.call(this)
}
const counting = async (...given: Parameters<typeof create>) => {
  const session = await create.apply(ort.InferenceSession, given)
  const run = session.run.bind(session) as (...fed: unknown[]) => Promise<ort.InferenceSession.OnnxValueMapType>
  const counted = async (...fed: unknown[]) => {
    if (++runs === failing) throw new Error('this run fails')
    const results = await run(...fed)
    for (const value of Object.values(results)) if ((value as ort.Tensor).location === 'gpu-buffer') live++
    return results
  }
  return Object.assign(session, { run: counted })
}
ort.InferenceSession.create = counting as typeof create

const config = { ...tinyConfig, layers: 1 }
const weights = tinyWeights(config)
const learner = new DeviceLearner(weights, {}, 'webgpu')
const options = {
  threads: 1,
  temperature: 1,
  device: 'webgpu',
  kept: 'products',
  headRows: 8,
  adapter: undefined,
} as const
const resident = (name: string) => learner.weight(name)
const pass = await createDevicePass(config, weights, { ...options, trained: () => true }, resident)
const part = [0, 1].map(s => ({
  tokens: Int32Array.from({ length: 12 }, (_, i) => (i * 7 + s) % config.vocabSize),
  scored: Int32Array.from({ length: 6 }, (_, i) => 6 + i),
  perToken: { weights: new Float32Array(6).fill(1 / 24) },
}))

/** One step; returns its number of runs, and of those before the update. */
async function step() {
  runs = 0
  const sums = new Map<string, DeviceTensor>()
  try {
    let loss = 0
    for (let parts = 0; parts < 2; parts++) loss += await pass.run({ kind: 'crossEntropy' }, part, sums)
    const inParts = runs
    await learner.update({ loss, sums, learningRate: 1e-5, clipNorm: 1 })
    return { inParts, inStep: runs }
  } finally {
    for (const sum of sums.values()) sum.dispose()
  }
}

await step()
const { inParts, inStep } = await step()
// Every third of the parts. The update's norms are alike for all tensors, and so are its steps: the first, one between and the last.
const failures = Array.from({ length: Math.ceil((inParts - 1) / 3) }, (_, at) => 2 + 3 * at)
failures.push(inParts + 1, Math.ceil((inParts + inStep) / 2), inStep)
const kept = live
const leaks: { run: number; tensors: number }[] = []
let failed = 0
for (const run of failures) {
  failing = run
  await step().catch(() => failed++)
  if (live !== kept) leaks.push({ run, tensors: live - kept })
  live = kept
}
failing = 0
console.log(JSON.stringify({ failed, leaks }))
await pass.dispose()
await learner.dispose()
ort.InferenceSession.create = create
ort.Tensor.prototype.dispose = dispose
