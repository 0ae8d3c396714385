import { availableParallelism } from 'node:os'
import type { DeviceReport } from '../../node/model/src/engine/devices/chooseDevice.ts'
import type { Device } from '../../node/model/src/engine/devices/device.ts'
import type { DecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'
import { decoderWeightShapes, parameterCount } from '../../node/model/src/model/decoder/decoderWeights.ts'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow, Measured } from '../measure/row.ts'
import { type Asked, devicesOf, onCpu, ours, productsOf, shapeOf, torch } from './gpu/answers.ts'
import { loraStepOperations } from './trainingShape.ts'

interface Rate {
  readonly perSec: number
}

interface Timed {
  readonly seconds: number
  readonly described?: string
}

interface Decoded {
  readonly tokensPerSec: number
  readonly described?: string
}

interface Logprobs {
  readonly logprobs: readonly number[]
}

/** Questions to Waggle on the GPU. */
const decode = (rows: number): Asked => ({ what: 'decode', rows })
const bandwidth: Asked = { what: 'bandwidth' }
const peak: Asked = { what: 'peak' }
const step: Asked = { what: 'step' }
const round: Asked = { what: 'round' }
const logprobs: Asked = { what: 'logprobs' }

/** Those that the CPU answers are last: torch is asked before. */
export const rows: readonly BenchRow[] = [
  row('gpu-decode-b1', "of transformers' tokens a second", 1, 'more', [decode(1)], decodeRow(1)),
  row('gpu-decode-b8', "of transformers' tokens a second", 1.5, 'more', [decode(8)], decodeRow(8)),
  row('gpu-decode-b64', "of transformers' tokens a second", 2, 'more', [decode(64)], decodeRow(64)),
  row('gpu-decode-b1-limit', 'of the measured read bandwidth', 0.5, 'more', [decode(1), bandwidth], limitRow),
  row('gpu-lora-step', 'times as fast as TRL in bfloat16', 1, 'more', [step], stepRow),
  row('gpu-step-peak', "of the measured peak of products in its base's type", 0.35, 'more', [step, peak], peakRow),
  row('gpu-against-cpu', "times as fast as this machine's CPU", 15, 'more', [round], roundRow),
  row('gpu-logprob-error', 'mean error against float32 on the CPU', 0.005, 'less', [logprobs], errorRow),
]

/**
 * A row that has no value on a machine without a GPU.
 *
 * @param wanted - what it asks Waggle on the GPU. This goes before all that torch and the CPU are asked, which may hang or take the time.
 */
function row(
  name: string,
  unit: string,
  bar: number,
  better: 'more' | 'less',
  wanted: readonly Asked[],
  measure: (bench: Bench, gpu: Device) => Promise<Measured>,
): BenchRow {
  return {
    name,
    unit,
    bar,
    better,
    async prepare(bench) {
      const failed = (error: Error) => bench.log(`  ${error.message}`)
      const gpu = await devicesOf(bench).then(report => gpuOf(report, bench), failed)
      if (gpu) for (const asked of wanted) await ours(bench, gpu, asked).catch(failed)
    },
    async measure(bench) {
      const report = await devicesOf(bench)
      const gpu = gpuOf(report, bench)
      if (gpu === null) return { value: null, conditions: withoutGpu(report) }
      const { conditions, value } = await measure(bench, gpu)
      return { value, conditions: `${shapeOf(bench).name}, ${adapterOf(report, gpu)} by ${gpu}: ${conditions}` }
    },
  }
}

function decodeRow(rows: number) {
  return async (bench: Bench, gpu: Device): Promise<Measured> => {
    const precision = await productsOf(bench, gpu)
    const own = await ours<Decoded>(bench, gpu, decode(rows))
    const { config, decodeTokens } = shapeOf(bench)
    const asked = { what: 'decode', rows, tokens: decodeTokens, config }
    const theirs = await torch<Decoded>(bench, 'gpu/torchPeer.py', asked)
    const conditions = `${precision}, batch ${rows}, ${own.described}, ${own.tokensPerSec.toFixed(1)} tokens/s`
    const against = ({ tokensPerSec, described }: Decoded): [number, string] => [
      own.tokensPerSec / tokensPerSec,
      `${tokensPerSec.toFixed(1)} in float16 (${described})`,
    ]
    return compared(theirs, against, conditions)
  }
}

async function limitRow(bench: Bench, gpu: Device): Promise<Measured> {
  const precision = await productsOf(bench, gpu)
  const { tokensPerSec } = await ours<Decoded>(bench, gpu, decode(1))
  const { perSec, by } = await best(bench, gpu, bandwidth)
  const { config } = shapeOf(bench)
  // The output layer stays in float32.
  const bytes = 4 * parameterCount(config) - (precision === 'float16' ? 2 : 0) * matrixElements(config)
  const used = tokensPerSec * bytes
  const conditions = `${precision}, ${(used / 1e9).toFixed(0)} of ${(perSec / 1e9).toFixed(0)} GB/s, measured by ${by}`
  return { value: used / perSec, conditions }
}

async function stepRow(bench: Bench, gpu: Device): Promise<Measured> {
  const { config, step: shape } = shapeOf(bench)
  const base = await productsOf(bench, gpu)
  const own = await ours<Timed>(bench, gpu, step)
  const asked = { ...shape, config, precision: 'default', threads: availableParallelism(), device: 'cuda' }
  const theirs = await torch<Timed>(bench, 'peers/trlStep.py', asked)
  // Waggle reads the prompt once for all completions, TRL with each.
  const share = loraStepOperations(config, 1, shape) / loraStepOperations(config, shape.sequences, shape)
  const conditions = `${stepText(bench)}, a base in ${base}, the prompt read once, which leaves ${share.toFixed(2)} of TRL's operations, in ${own.seconds.toFixed(2)} s, the median of three on both sides`
  const against = ({ seconds, described }: Timed): [number, string] => [
    seconds / own.seconds,
    `${seconds.toFixed(2)} s (${described})`,
  ]
  return compared(theirs, against, conditions)
}

async function peakRow(bench: Bench, gpu: Device): Promise<Measured> {
  const { config, step: shape } = shapeOf(bench)
  const base = await productsOf(bench, gpu)
  const { seconds } = await ours<Timed>(bench, gpu, step)
  const { perSec, by } = await best(bench, gpu, peak)
  const speed = loraStepOperations(config, 1, shape) / seconds
  const conditions = `${stepText(bench)}, a base in ${base}, ${(speed / 1e9).toFixed(0)} of ${(perSec / 1e9).toFixed(0)} GFLOP/s, the peak by ${by}`
  return { value: speed / perSec, conditions }
}

async function roundRow(bench: Bench, gpu: Device): Promise<Measured> {
  const own = await ours<Timed>(bench, gpu, round)
  const cpu = await onCpu<Timed>(bench, round)
  const { step: shape, roundTokens } = shapeOf(bench)
  const conditions = `a round of ${shape.sequences} completions of ${roundTokens} tokens and a LoRA step on them, ${own.seconds.toFixed(1)} against ${cpu.seconds.toFixed(1)} s, ${availableParallelism()} cores`
  return { value: cpu.seconds / own.seconds, conditions }
}

async function errorRow(bench: Bench, gpu: Device): Promise<Measured> {
  const precision = await productsOf(bench, gpu)
  const own = await ours<Logprobs>(bench, gpu, logprobs)
  const cpu = await onCpu<Logprobs>(bench, logprobs)
  const errors = cpu.logprobs.map((logprob, i) => Math.abs(logprob - (own.logprobs[i] ?? Number.NaN)))
  const value = errors.reduce((a, b) => a + b, 0) / errors.length
  return { value, conditions: `${precision} on the GPU, ${errors.length} tokens of one sequence` }
}

/** Elements of the matrices of a decoder's layers. */
function matrixElements(config: DecoderConfig): number {
  const matrices = [...decoderWeightShapes(config)].filter(
    ([name, { length }]) => length === 2 && name.includes('layers'),
  )
  return matrices.reduce((sum, [, shape]) => sum + shape.reduce((a, b) => a * b, 1), 0)
}

function gpuOf({ chosen, devices }: DeviceReport, { isTiny }: Bench): Device | null {
  if (chosen !== 'cpu') return chosen
  return isTiny && devices.some(({ device, isAvailable }) => device === 'webgpu' && isAvailable) ? 'webgpu' : null
}

/** The GPU that is measured: the first that is listed may not be the one which Vulkan takes. */
function adapterOf({ machine, devices }: DeviceReport, gpu: Device): string {
  const adapter = devices.find(({ device }) => device === gpu)?.adapter
  return adapter?.name ?? machine.gpus[0]?.name ?? 'an unknown adapter'
}

function withoutGpu({ machine, devices }: DeviceReport): string {
  const reasons = devices.flatMap(({ device, reason, adapter }) => {
    if (adapter?.isSoftware) return [`${device}: its adapter is ${adapter.name}, in software.`]
    return reason === null ? [] : [`${device}: ${reason}`]
  })
  const begin = machine.gpus.length === 0 ? 'there is no GPU on this machine' : 'no device takes the GPU'
  return `${begin}. ${reasons.join(' ')}`
}

/** A figure against torch's, or none with the reason. */
function compared<T>(theirs: T | string, against: (theirs: T) => [number, string], conditions: string): Measured {
  if (typeof theirs === 'string') return { value: null, conditions: `${conditions}; no comparison: ${theirs}` }
  const [value, other] = against(theirs)
  return { value, conditions: `${conditions} against ${other}` }
}

/** The larger of what Waggle's own products reach and what torch's do. */
async function best(bench: Bench, gpu: Device, asked: Asked): Promise<Rate & { by: string }> {
  const own = await ours<Rate>(bench, gpu, asked)
  const dtype = await productsOf(bench, gpu)
  const theirs = await torch<Rate>(bench, 'gpu/torchPeer.py', { what: asked.what, dtype })
  if (typeof theirs === 'string' || theirs.perSec < own.perSec) return { ...own, by: 'ONNX Runtime' }
  return { ...theirs, by: 'torch' }
}

const stepText = (bench: Bench) => {
  const { sequences, prompt, completion, rank } = shapeOf(bench).step
  return `a GRPO step of ${sequences} x ${completion} tokens after a prompt of ${prompt}, LoRA r = ${rank}`
}
