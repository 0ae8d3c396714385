import { crossings } from '#engine/devices/crossings.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { toDevice } from '#engine/devices/toDevice.ts'
import { tensor } from '#engine/session.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import { createGenerator } from '#model/generation/generate.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { bakedParts } from '#model/quantization/frozenParts.ts'
import { DeviceLearner } from '#rl/device/deviceLearner.ts'
import { createAdamW } from '#rl/optimizers/adamW.ts'
import { hostLearner } from '#rl/optimizers/learner.ts'
import { createTrainer } from '#rl/trainer.ts'
import type { TrainerOptions } from '#rl/trainerOptions.ts'

// AdamW by WebGPU against the CPU's, and what crosses to the device and back: prints one JSON line.
const options = { beta1: 0.9, beta2: 0.99, weightDecay: 0.1 }
const numbers = (count: number, seed: number) =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(i * 7 + seed * 3) * 10 ** ((i % 4) - 2))
const parameters = () =>
  new Map([
    ['matrix', { shape: [5, 6], data: numbers(30, 1) }],
    ['bias', { shape: [6], data: numbers(6, 2) }],
  ])
type Trained = ReturnType<typeof parameters>

const gradients = (step: number) =>
  new Map([...parameters()].map(([name, { data }], i) => [name, numbers(data.length, 10 * step + i)]))

/** One update, from the same gradients on either. */
async function update(learner: DeviceLearner, shapes: Trained, step: number): Promise<number> {
  const there = new Map<string, DeviceTensor>()
  for (const [name, data] of gradients(step)) {
    const copies = await toDevice('webgpu', { x: tensor('f32', data, shapes.get(name)?.shape ?? []) })
    there.set(name, copies.x as DeviceTensor)
  }
  return learner.update({ loss: 1, sums: there, learningRate: 1e-2, clipNorm: 5 })
}

function farthest(found: ReadonlyMap<string, Float32Array>, expected: ReadonlyMap<string, Float32Array>): number {
  const distances = [...expected].map(([name, xs]) => {
    const largest = xs.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    return xs.reduce((worst, x, i) => Math.max(worst, Math.abs(x - (found.get(name)?.[i] ?? Number.NaN))), 0) / largest
  })
  return Math.max(...distances)
}
const dataOf = (trained: Trained) => new Map([...trained].map(([name, { data }]) => [name, data.slice()]))

const [there, resumed, here] = [parameters(), parameters(), parameters()]
const [learner, host] = [new DeviceLearner(there, options, 'webgpu'), hostLearner(here, createAdamW(here, options))]
let norms = 0
for (let step = 1; step <= 20; step++) {
  const snapshot = await learner.snapshot()
  if (step % 7 === 0) {
    await update(learner, there, 99)
    await snapshot.undo()
  }
  const [norm, expected] = [
    await update(learner, there, step),
    await host.update({ loss: 1, sums: gradients(step), learningRate: 1e-2, clipNorm: 5 }),
  ]
  if (step % 7 !== 0) await snapshot.forget()
  norms = Math.max(norms, Math.abs(norm / expected - 1))
  if (step !== 12) continue
  await learner.readBack()
  for (const [name, { data }] of resumed) data.set(there.get(name)?.data as Float32Array)
}
const states = { there: await learner.state(), here: await host.state() }
await learner.readBack()
const apart = {
  norms,
  weights: farthest(dataOf(there), dataOf(here)),
  moments: farthest(states.there.tensors, states.here.tensors),
}
const refused = await learner
  .update({ loss: Number.NaN, sums: new Map(), learningRate: 1, clipNorm: 1 })
  .catch((error: Error) => error.message)

// A checkpoint: weights and state into another learner, and on from there.
const other = new DeviceLearner(resumed, options, 'webgpu')
for (const [name, { data }] of resumed) data.set(there.get(name)?.data as Float32Array)
other.load(states.there)
for (const [which, trained] of [
  [learner, there],
  [other, resumed],
] as const) {
  await update(which, trained, 21)
  await which.readBack()
}
const isResumed = JSON.stringify([...dataOf(there)]) === JSON.stringify([...dataOf(resumed)])
await learner.dispose()
await other.dispose()

const config = tinyConfig
const batch = [0, 1, 2, 3].map(i => ({
  tokens: Int32Array.from({ length: 12 }, (_, t) => (t * 7 + i * 5 + 11) % config.vocabSize),
  scored: Int32Array.from({ length: 6 }, (_, t) => t + 6),
  oldLogprobs: new Float32Array(6).fill(-4),
  advantage: i % 2 ? 1 : -1,
}))

/** Bytes that cross in a step after the first, and how much is trained. */
async function crossingsOf(settings: TrainerOptions, of = config) {
  const weights = tinyWeights(of)
  const trainer = await createTrainer(of, weights, { threads: 1, device: 'webgpu', ...settings })
  const klBeta = settings.adapter && of === config ? 0.1 : 0
  const step = () => trainer.policyStep(batch, { learningRate: 1e-3, clipLow: 0.2, clipHigh: 0.28, klBeta })
  await step()
  const before = crossings()
  await step()
  const after = crossings()
  const trained = [...(settings.adapter?.factors ?? weights).values()].reduce(
    (sum, { data }) => sum + data.byteLength,
    0,
  )
  const crossed = { to: after.toDevice - before.toDevice, from: after.fromDevice - before.fromDevice, trained }
  return { trainer, crossed, weights }
}

const adapter = initLora(config, { rank: 4, alpha: 8, targets: allLinear, rankStabilized: false }, 'devices')
const { trainer, crossed, weights } = await crossingsOf({ adapter })
const request = {
  prompts: [Int32Array.of(5, 9)],
  ...{ samplesPerPrompt: 1, maxNewTokens: 6, temperature: 0, stopToken: -1, seed: '0' as const },
}
const sampled = async (device: 'cpu' | 'webgpu') => {
  const resident = device === 'cpu' ? null : trainer.resident
  const generator = await createAdaptedGenerator(config, bakedParts(config, weights), adapter, { device }, resident)
  const [completion] = await generator.generate(request)
  await generator.dispose()
  return [...(completion?.logprobs ?? [])]
}
const onDevice = await sampled('webgpu')
await trainer.readBack()
const onCpu = await sampled('cpu')
const generated = Math.max(...onCpu.map((x, i) => Math.abs(x - (onDevice[i] ?? Number.NaN))))
await trainer.dispose()
const narrow = { ...config, layers: 1 }
const integers = await crossingsOf({ adapter: initLora(narrow, adapter.config, 'integers'), precision: 'int8' }, narrow)
await integers.trainer.dispose()
const whole = await crossingsOf({})
await whole.trainer.dispose()

/** Tokens under top-p, and the bytes that came back for them. @param peak - 0 if all tokens are alike. */
async function sampledUnder(peak: number, topP?: number) {
  const wide = { ...tinyConfig, layers: 1, vocabSize: 8320 }
  const peaked = tinyWeights(wide)
  for (const [name, { data }] of peaked)
    if (name.includes('embed')) for (const i of data.keys()) data[i] = (data[i] as number) * peak
  const tokens: Record<string, number[]> = {}
  const before = crossings().fromDevice
  for (const device of ['cpu', 'webgpu'] as const) {
    const generator = createGenerator(wide, peaked, { device })
    const [completion] = await generator.generate({ ...request, temperature: 1, topP })
    tokens[device] = [...(completion?.tokens ?? [])]
    await generator.dispose()
  }
  return { ...tokens, bytes: crossings().fromDevice - before }
}
/** A nucleus of some tokens, one that is larger than what comes back at first, and none. */
const nucleus = {
  ...{ small: await sampledUnder(40, 0.9), large: await sampledUnder(0, 0.9) },
  ...{ none: await sampledUnder(0), peaked: await sampledUnder(40) },
}
console.log(
  JSON.stringify({
    ...{ apart, refused, isResumed, generated, nucleus },
    ...{ adapter: crossed, integers: integers.crossed, whole: whole.crossed },
  }),
)
