import { type ExecFileException, execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DeviceReport, reportDevices } from '../../node/model/src/engine/devices/chooseDevice.ts'
import type { Device } from '../../node/model/src/engine/devices/device.ts'
import type { DecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'
import { decoderWeightShapes, parameterCount } from '../../node/model/src/model/decoder/decoderWeights.ts'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow, Measured } from '../measure/row.ts'
import type { GpuQuestion } from './gpu/question.ts'
import { type GpuShape, gpuShapes } from './gpu/shapes.ts'
import { randomFolder } from './randomModel.ts'
import { loraStepOperations } from './trainingShape.ts'

/** Time limit of all rows together; rows without an answer by then have no value. */
const ALL_ROWS_MS = 560_000
const startedAt = performance.now()

const run = promisify(execFile)
const shapeOf = ({ isTiny }: Bench): GpuShape => (isTiny ? gpuShapes.tiny : gpuShapes.full)

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

export const rows: readonly BenchRow[] = [
  row('gpu-decode-b1', "of transformers' tokens a second", 1, 'more', decodeRow(1)),
  row('gpu-decode-b8', "of transformers' tokens a second", 1.5, 'more', decodeRow(8)),
  row('gpu-decode-b64', "of transformers' tokens a second", 2, 'more', decodeRow(64)),
  row('gpu-decode-b1-limit', 'of the measured read bandwidth', 0.5, 'more', async (bench, gpu) => {
    const precision = await productsOf(bench, gpu)
    const { tokensPerSec } = await ours<Decoded>(bench, { what: 'decode', device: gpu, rows: 1, precision })
    const { perSec, by } = await best(bench, gpu, 'bandwidth')
    const { config } = shapeOf(bench)
    // The output layer stays in float32.
    const bytes = 4 * parameterCount(config) - (precision === 'float16' ? 2 : 0) * matrixElements(config)
    const used = tokensPerSec * bytes
    const conditions = `${precision}, ${(used / 1e9).toFixed(0)} of ${(perSec / 1e9).toFixed(0)} GB/s, measured by ${by}`
    return { value: used / perSec, conditions }
  }),
  row('gpu-lora-step', 'times as fast as TRL in bfloat16', 1, 'more', async (bench, gpu) => {
    const { config, step } = shapeOf(bench)
    const base = await productsOf(bench, gpu)
    const own = await ours<Timed>(bench, { what: 'step', device: gpu, precision: base })
    const asked = { ...step, config, precision: 'default', threads: availableParallelism(), device: 'cuda' }
    const theirs = await torch<Timed>(bench, 'peers/trlStep.py', asked)
    const conditions = `${stepText(bench)}, a base in ${base}, in ${own.seconds.toFixed(2)} s`
    return compared(
      theirs,
      ({ seconds, described }) => [seconds / own.seconds, `${seconds.toFixed(2)} s (${described})`],
      conditions,
    )
  }),
  row('gpu-step-peak', "of the measured peak of products in its base's type", 0.35, 'more', async (bench, gpu) => {
    const { config, step } = shapeOf(bench)
    const base = await productsOf(bench, gpu)
    const { seconds } = await ours<Timed>(bench, { what: 'step', device: gpu, precision: base })
    const { perSec, by } = await best(bench, gpu, 'peak', base)
    const speed = loraStepOperations(config, 1, step) / seconds
    const conditions = `${stepText(bench)}, a base in ${base}, ${(speed / 1e9).toFixed(0)} of ${(perSec / 1e9).toFixed(0)} GFLOP/s, the peak by ${by}`
    return { value: speed / perSec, conditions }
  }),
  row('gpu-against-cpu', "times as fast as this machine's CPU", 15, 'more', async (bench, gpu) => {
    const [own, cpu] = [
      await ours<Timed>(bench, { what: 'round', device: gpu, precision: await productsOf(bench, gpu) }),
      await ours<Timed>(bench, { what: 'round', device: 'cpu' }),
    ]
    const { step, roundTokens } = shapeOf(bench)
    const conditions = `a round of ${step.sequences} completions of ${roundTokens} tokens and a LoRA step on them, ${own.seconds.toFixed(1)} against ${cpu.seconds.toFixed(1)} s, ${availableParallelism()} cores`
    return { value: cpu.seconds / own.seconds, conditions }
  }),
  row('gpu-logprob-error', 'mean error against float32 on the CPU', 0.005, 'less', async (bench, gpu) => {
    const precision = await productsOf(bench, gpu)
    const [own, cpu] = [
      await ours<{ logprobs: number[] }>(bench, { what: 'logprobs', device: gpu, precision }),
      await ours<{ logprobs: number[] }>(bench, { what: 'logprobs', device: 'cpu' }),
    ]
    const errors = cpu.logprobs.map((logprob, i) => Math.abs(logprob - (own.logprobs[i] ?? Number.NaN)))
    const value = errors.reduce((a, b) => a + b, 0) / errors.length
    return { value, conditions: `${precision} on the GPU, ${errors.length} tokens of one sequence` }
  }),
]

/** A row that has no value on a machine without a GPU. */
function row(
  name: string,
  unit: string,
  bar: number,
  better: 'more' | 'less',
  measure: (bench: Bench, gpu: Device) => Promise<Measured>,
): BenchRow {
  return {
    name,
    unit,
    bar,
    better,
    async measure(bench) {
      const report = await bench.once('devices', reportDevices)
      const gpu = gpuOf(report, bench)
      if (gpu === null) return { value: null, conditions: withoutGpu(report) }
      const { conditions, value } = await measure(bench, gpu)
      return { value, conditions: `${shapeOf(bench).name}, ${adapterOf(report, gpu)} by ${gpu}: ${conditions}` }
    },
  }
}

/** Number type in which frozen weights are multiplied: float16 where the GPU has it. */
async function productsOf(bench: Bench, gpu: Device): Promise<'float32' | 'float16'> {
  const { devices } = await bench.once('devices', reportDevices)
  return devices.find(({ device }) => device === gpu)?.float16Reason === null ? 'float16' : 'float32'
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

function decodeRow(rows: number) {
  return async (bench: Bench, gpu: Device): Promise<Measured> => {
    const precision = await productsOf(bench, gpu)
    const own = await ours<Decoded>(bench, { what: 'decode', device: gpu, rows, precision })
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

/** A figure against torch's, or none with the reason. */
function compared<T>(theirs: T | string, against: (theirs: T) => [number, string], conditions: string): Measured {
  if (typeof theirs === 'string') return { value: null, conditions: `${conditions}; no comparison: ${theirs}` }
  const [value, other] = against(theirs)
  return { value, conditions: `${conditions} against ${other}` }
}

/** The larger of what Waggle's own products reach and what torch's do. */
async function best(
  bench: Bench,
  gpu: Device,
  what: 'bandwidth' | 'peak',
  precision: 'float32' | 'float16' = 'float32',
) {
  const own = await ours<Rate>(bench, { what, device: gpu, precision })
  const theirs = await torch<Rate>(bench, 'gpu/torchPeer.py', { what, dtype: precision })
  if (typeof theirs === 'string' || theirs.perSec < own.perSec) return { ...own, by: 'ONNX Runtime' }
  return { ...theirs, by: 'torch' }
}

const stepText = (bench: Bench) => {
  const { sequences, prompt, completion, rank } = shapeOf(bench).step
  return `a GRPO step of ${sequences} x ${completion} tokens after a prompt of ${prompt}, LoRA r = ${rank}`
}

/** An answer of Waggle, asked for once. */
function ours<T>(bench: Bench, asked: Pick<GpuQuestion, 'what' | 'device' | 'rows' | 'precision'>): Promise<T> {
  return bench.once(JSON.stringify(asked), async () => {
    const shape = shapeOf(bench)
    const folder = await bench.once('random folder', () => {
      return randomFolder(bench, bench.isTiny ? 'gpu-tiny' : 'gpu-full', shape.config)
    })
    const whole = { shape: bench.isTiny ? 'tiny' : 'full', folder, threads: availableParallelism(), ...asked }
    bench.log(`asking Waggle: ${JSON.stringify(asked)}`)
    return answerOf<T>(process.execPath, [join(import.meta.dirname, 'gpu/question.ts'), JSON.stringify(whole)])
  })
}

/** An answer of torch on the same GPU, or why there is none. */
function torch<T>(bench: Bench, script: string, asked: object): Promise<T | string> {
  return bench.once(`torch ${JSON.stringify(asked)}`, async () => {
    const reason = await bench.once('torch', () =>
      run('python3', ['-c', 'import torch; assert torch.cuda.is_available(), "torch sees no GPU"'], {
        timeout: 120_000,
      }).then(
        () => null,
        error => lastLine(error),
      ),
    )
    if (reason !== null) return reason
    bench.log(`asking torch: ${script}`)
    return answerOf<T>('python3', [join(import.meta.dirname, script), JSON.stringify(asked)]).catch(
      error => (error as Error).message,
    )
  })
}

/** The last line that a process prints, as JSON. */
async function answerOf<T>(command: string, argv: readonly string[]): Promise<T> {
  const timeout = Math.max(1, Math.floor(ALL_ROWS_MS - (performance.now() - startedAt)))
  try {
    const { stdout } = await run(command, [...argv], { timeout, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } catch (error) {
    throw new Error(lastLine(error))
  }
}

function lastLine(error: unknown): string {
  const { stderr = '', killed, code, path, message } = error as ExecFileException & { path?: string }
  if (killed) return 'it did not answer in time'
  if (code === 'ENOENT') return `${path} is not installed`
  const lines = stderr.trim().split('\n')
  return (lines.findLast(line => /Error/.test(line)) || lines.at(-1) || message).slice(0, 300)
}
