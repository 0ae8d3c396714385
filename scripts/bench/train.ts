import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commonShape } from '../../node/model/src/model/decoder/commonShape.ts'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow, Measured } from '../measure/row.ts'
import { pythonPeer } from './peers/setUpPeers.ts'
import { loraStepOperations, stepShape } from './trainingShape.ts'
import type { StepMeasurement, StepRequest } from './trainStep.ts'

const runFile = promisify(execFile)

interface TrlMeasurement {
  readonly seconds: number
  readonly peakBytes: number
  readonly described: string
}

/** Memory that a LoRA step may use besides the weights: one group at a time with the values that its layers keep. */
const LORA_MEMORY = 2.7e9
/** Full fine-tuning: gradients and AdamW's moments of 358 M weights take 4.3 GB of it. */
const FULL_MEMORY = 5.6e9

const shape = `Qwen2.5-0.5B's shape, random weights, ${stepShape.sequences} x ${stepShape.prompt + stepShape.completion} tokens of one prompt`

/** One step of ours in its own process, measured once a request. */
function ourStep(
  bench: Bench,
  asked: Partial<StepRequest> & Pick<StepRequest, 'memoryBytes'>,
): Promise<StepMeasurement> {
  const request: StepRequest = { train: 'lora', precision: 'float32', threads: bench.threads, ...asked }
  return bench.once(JSON.stringify(request), async () => {
    const argument = JSON.stringify(request)
    const { stdout } = await runFile(process.execPath, [join(import.meta.dirname, 'trainStep.ts'), argument])
    return JSON.parse(stdout) as StepMeasurement
  })
}

/** One step of TRL, or null if it cannot run. */
function trlStep(bench: Bench, precision: 'float32' | 'default'): Promise<TrlMeasurement | null> {
  return bench.once(`trl ${precision}`, async () => {
    const python = await pythonPeer(bench)
    if (!python) return null
    const argument = JSON.stringify({ precision, threads: bench.threads, config: commonShape, ...stepShape })
    const { stdout } = await runFile(python, [join(import.meta.dirname, 'peers/trlStep.py'), argument], {
      maxBuffer: 1 << 26,
    })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as TrlMeasurement
  })
}

const withoutPeer: Measured = { value: null, conditions: 'needs python3 with PyTorch and TRL, which is not there' }
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`

export const rows: readonly BenchRow[] = [
  {
    name: 'lora-step-peak',
    unit: 'of the float32 product peak',
    bar: 0.85,
    better: 'more',
    async measure(bench) {
      const { seconds, productPeak, peakBytes } = await ourStep(bench, { memoryBytes: LORA_MEMORY })
      const operations = loraStepOperations(commonShape, 1)
      const apart = loraStepOperations(commonShape, stepShape.sequences) / seconds / productPeak
      const rates = `${(operations / seconds / 1e9).toFixed(0)} of ${(productPeak / 1e9).toFixed(0)} GFLOP/s with the prompt counted once, ${apart.toFixed(2)} of the peak if it is counted with each completion`
      const conditions = `${shape}, LoRA r = ${stepShape.rank}, float32, ${bench.threads} threads, ${seconds.toFixed(1)} s, ${rates}, peak ${gigabytes(peakBytes)}`
      return { value: operations / seconds / productPeak, conditions }
    },
  },
  {
    name: 'lora-step-f32',
    unit: 'times as fast as TRL',
    bar: 2,
    better: 'more',
    async measure(bench) {
      const peer = await trlStep(bench, 'float32')
      if (!peer) return withoutPeer
      const own = await ourStep(bench, { memoryBytes: LORA_MEMORY })
      const conditions = `${shape}, ${own.seconds.toFixed(1)} s against ${peer.seconds.toFixed(1)} s (${peer.described}), ${bench.threads} threads each`
      return { value: peer.seconds / own.seconds, conditions }
    },
  },
  {
    name: 'lora-step-q8',
    unit: 'times as fast as TRL at its defaults',
    bar: 2.5,
    better: 'more',
    async measure(bench) {
      const peer = await trlStep(bench, 'default')
      if (!peer) return withoutPeer
      const own = await ourStep(bench, { precision: 'int8', memoryBytes: LORA_MEMORY })
      const conditions = `${shape}, all matrices of the base in 8-bit integers, ${own.seconds.toFixed(1)} s against ${peer.seconds.toFixed(1)} s (${peer.described}), ${bench.threads} threads each`
      return { value: peer.seconds / own.seconds, conditions }
    },
  },
  {
    name: 'lora-step-memory',
    unit: "of TRL's peak at its defaults",
    bar: 0.7,
    better: 'less',
    async measure(bench) {
      const peer = await trlStep(bench, 'default')
      if (!peer) return withoutPeer
      const own = await ourStep(bench, { precision: 'int8', memoryBytes: LORA_MEMORY })
      const conditions = `${shape}, over the 8-bit base in ${own.seconds.toFixed(1)} s, resident ${gigabytes(own.peakBytes)} against ${gigabytes(peer.peakBytes)} (${peer.described}, ${peer.seconds.toFixed(1)} s)`
      return { value: own.peakBytes / peer.peakBytes, conditions }
    },
  },
  {
    name: 'full-step-memory',
    unit: 'GB peak',
    bar: 8,
    better: 'less',
    async measure(bench) {
      const { seconds, peakBytes } = await ourStep(bench, { train: 'layers', memoryBytes: FULL_MEMORY })
      const conditions = `${shape}, all layers but the tied embedding, AdamW, ${seconds.toFixed(1)} s, resident memory of the process`
      return { value: peakBytes / 1e9, conditions }
    },
  },
]
