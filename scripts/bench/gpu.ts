import type { DeviceReport } from '../../node/model/src/engine/devices/chooseDevice.ts'
import type { Device } from '../../node/model/src/engine/devices/device.ts'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow } from '../measure/row.ts'
import { type Asked, devicesOf, ours, shapeOf } from './gpu/answers.ts'
import {
  type Compared,
  decode,
  decodeRow,
  limitRow,
  peakRow,
  round,
  roundRow,
  step,
  stepRow,
} from './gpu/comparedRows.ts'
import { drawn, drawnRow, gradient, gradientRow, logprobRow, logprobs } from './gpu/errorRows.ts'
import { bandwidth, peak } from './gpu/limits.ts'

const TOKENS = "of transformers' tokens a second"
const ERROR = 'mean error against float32 on the CPU'

/**
 * Those that the CPU answers are last: torch is asked before. Of them the round takes longest. Steps go before decoding, for which torch compiles, and
 * gives a first answer without.
 */
export const rows: readonly BenchRow[] = [
  row('gpu-lora-step', 'times as fast as TRL in bfloat16', 1, 'more', [step], stepRow),
  row(
    'gpu-step-peak',
    'of the peak of products in the type that it multiplies in',
    0.35,
    'more',
    [step, peak],
    peakRow,
  ),
  row('gpu-decode-b1', TOKENS, 1, 'more', [decode(1)], decodeRow(1)),
  row('gpu-decode-b1-limit', 'of the read bandwidth', 0.5, 'more', [decode(1), bandwidth], limitRow),
  row('gpu-decode-b8', TOKENS, 1.5, 'more', [decode(8)], decodeRow(8)),
  row('gpu-decode-b64', TOKENS, 2, 'more', [decode(64)], decodeRow(64)),
  row('gpu-sample-b8', TOKENS, 1.5, 'more', [decode(8, true)], decodeRow(8, true)),
  row('gpu-logprob-error', ERROR, 0.005, 'less', [logprobs], { measure: logprobRow }),
  row('gpu-decode-error', ERROR, 0.005, 'less', [drawn], { measure: drawnRow }),
  row('gpu-gradient-error', 'of the gradient of float32 on the CPU', 0.01, 'less', [gradient], {
    measure: gradientRow,
  }),
  row('gpu-against-cpu', "times as fast as this machine's CPU", 15, 'more', [round], roundRow),
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
  { measure, alone }: Compared,
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
      if (gpu === null) {
        const torch = alone === undefined ? '' : ` torch: ${await alone(bench)}`
        return { value: null, conditions: `${withoutGpu(report)}${torch}` }
      }
      const adapter = adapterOf(report, gpu)
      const { conditions, value } = await measure(bench, gpu, adapter)
      return { value, conditions: `${shapeOf(bench).name}, ${adapter} by ${gpu}: ${conditions}` }
    },
  }
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
