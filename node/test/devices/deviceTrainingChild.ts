import { type Device, devices } from '#engine/devices/device.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { groupStep } from '#rl/groupStep.ts'
import { createTrainer } from '#rl/trainer.ts'
import type { TrainerOptions } from '#rl/trainerOptions.ts'

// Takes a GRPO step with each kind of trainer, on the CPU and on the device that argv names, and prints one JSON line for each.
// This vocabulary makes two chunks: a frozen output layer computes one after the other.
const device = devices.find(name => name === process.argv[2])
if (device === undefined) throw new RangeError(`unknown device ${process.argv[2]}`)
const chunked = { ...tinyConfig, vocabSize: 8200 }
const lora = { rank: 4, alpha: 8, targets: allLinear, rankStabilized: false }

interface Kind extends Pick<TrainerOptions, 'layered' | 'precision'> {
  readonly config: DecoderConfig
  readonly isAdapter?: boolean
}

const kinds: Readonly<Record<string, Kind>> = {
  'all weights, in one graph': { config: tinyConfig, layered: false },
  'all weights, layer by layer': { config: tinyConfig, layered: true },
  'an adapter, layer by layer': { config: chunked, layered: true, isAdapter: true },
  'an adapter on int8': { config: { ...chunked, layers: 1 }, precision: 'int8', isAdapter: true },
}

const group = {
  prompt: Int32Array.of(5, 19, 7, 23),
  completions: [0, 1, 2].map(i => ({
    tokens: Int32Array.from({ length: 3 + i }, (_, t) => (t * 7 + i * 5 + 11) % tinyConfig.vocabSize),
    logprobs: new Float32Array(3 + i).fill(-3),
    reward: i % 2,
  })),
}

/** The step of one kind, and how far it moved each trained tensor. */
async function stepOn(where: Device, { config, isAdapter = false, ...kind }: Kind) {
  const weights = tinyWeights(config)
  const adapter = initLora(config, lora, 'devices')
  // A fresh adapter's gradients would be half zeros.
  for (const [name, { data }] of adapter.factors) if (name.includes('lora_B')) data.fill(0.01)
  const trained = isAdapter ? adapter.factors : weights
  const before = [...trained].map(([name, { data }]) => [name, data.slice()] as const)
  // With an epsilon as large, an update goes by the size of the gradient and not by its sign.
  const options = { device: where, threads: 1, optimizer: { kind: 'adamW', epsilon: 1, weightDecay: 0 } } as const
  const trainer = await createTrainer(config, weights, { ...options, ...kind, ...(isAdapter ? { adapter } : {}) })
  const beta = isAdapter ? { klBeta: 0.1 } : {}
  const { step } = await groupStep(trainer, [group], { learningRate: 1, recomputeLogprobs: true, ...beta })
  await trainer.readBack()
  await trainer.dispose()
  const moves = before.map(([name, old]) => (trained.get(name)?.data ?? old).map((x, i) => x - (old[i] as number)))
  return { loss: step?.loss ?? Number.NaN, gradientNorm: step?.gradientNorm ?? Number.NaN, moves }
}

for (const [kind, options] of Object.entries(kinds)) {
  const [cpu, other] = [await stepOn('cpu', options), await stepOn(device, options)]
  const largest = Math.max(...cpu.moves.map(move => move.reduce((most, x) => Math.max(most, Math.abs(x)), 0)))
  const apart = (a: Float32Array, b: Float32Array | undefined) =>
    a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - (b?.[i] ?? Number.NaN))), 0) / largest
  const difference = {
    loss: Math.abs(cpu.loss - other.loss),
    gradientNorm: Math.abs(cpu.gradientNorm - other.gradientNorm) / cpu.gradientNorm,
    moves: Math.max(...cpu.moves.map((move, i) => apart(move, other.moves[i]))),
  }
  console.log(JSON.stringify({ kind, gradientNorm: cpu.gradientNorm, largest, difference }))
}
