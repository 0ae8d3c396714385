import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { reportDevices } from '../../../node/model/src/engine/devices/chooseDevice.ts'
import type { Device } from '../../../node/model/src/engine/devices/device.ts'
import type { Bench } from '../../measure/bench.ts'
import { randomFolder } from '../randomModel.ts'
import { answerOf } from './answerOf.ts'
import type { GpuQuestion } from './question.ts'
import { type GpuShape, gpuShapes } from './shapes.ts'
import { type Answerer, limitSec } from './timeLimits.ts'

/** A question of a row to Waggle. */
export type Asked = Pick<GpuQuestion, 'what' | 'rows' | 'isSampled' | 'tokens' | 'from'>

export const shapeOf = ({ isTiny }: Bench): GpuShape => (isTiny ? gpuShapes.tiny : gpuShapes.full)
export const devicesOf = (bench: Bench) =>
  bench.once('devices', () => {
    bench.log('trying each device')
    return reportDevices()
  })

/** Number type in which frozen weights are stored, and generation and scores multiply by them: float16 where the GPU has it. */
export async function productsOf(bench: Bench, gpu: Device): Promise<'float32' | 'float16'> {
  const { devices } = await devicesOf(bench)
  return devices.find(({ device }) => device === gpu)?.float16Reason === null ? 'float16' : 'float32'
}

/** Number type in which a step multiplies by its base: WebGPU widens one that is stored in float16 (ADR 0219). */
export const stepProductsOf = async (bench: Bench, gpu: Device): Promise<'float32' | 'float16'> =>
  gpu === 'webgpu' ? 'float32' : productsOf(bench, gpu)

/** An answer of Waggle on the GPU, asked for once. Its peak is of the products of a step. */
export async function ours<T>(bench: Bench, gpu: Device, asked: Asked): Promise<T> {
  const precision = await (asked.what === 'peak' ? stepProductsOf : productsOf)(bench, gpu)
  return askWaggle(bench, 'own', { ...asked, device: gpu, precision })
}

/** The same of this machine's CPU, in float32. */
export const onCpu = <T>(bench: Bench, asked: Asked): Promise<T> => askWaggle(bench, 'cpu', { ...asked, device: 'cpu' })

type Whole = Asked & Pick<GpuQuestion, 'device' | 'precision'>

function askWaggle<T>(bench: Bench, answerer: Answerer, asked: Whole): Promise<T> {
  return bench.once(JSON.stringify(asked), async () => {
    const shape = bench.isTiny ? 'tiny' : 'full'
    const folder = await bench.once('random folder', () => weightsOf(bench, shape))
    const argument = JSON.stringify({ shape, folder, threads: availableParallelism(), ...asked })
    return answerWithin<T>(bench, answerer, `Waggle: ${JSON.stringify(asked)}`, process.execPath, [
      join(import.meta.dirname, 'question.ts'),
      argument,
    ])
  })
}

/**
 * Logits' deviation: the 1,024 likeliest of 151,936 tokens then hold 0.97 of the probability, as a trained model's do, and the GPU need not give the
 * whole vocabulary for a draw under top-p (0.86 at a deviation of 3.5, 0.91 at 4).
 */
const LOGIT_DEVIATION = 4.5

function weightsOf(bench: Bench, shape: string): Promise<string> {
  const { config } = shapeOf(bench)
  return randomFolder(bench, `gpu-${shape}-logits`, config, LOGIT_DEVIATION / Math.sqrt(config.hiddenSize))
}

/** An answer of torch on the same GPU, or why there is none. */
export function torch<T>(bench: Bench, script: string, asked: object): Promise<T | string> {
  const ask = <U>(what: string, argv: readonly string[]): Promise<U | string> =>
    answerWithin<U>(bench, 'torch', what, 'python3', argv).catch(error => (error as Error).message)
  return bench.once(`torch ${JSON.stringify(asked)}`, async () => {
    const check = 'import torch; assert torch.cuda.is_available(), "torch sees no GPU"; print("true")'
    const found = await bench.once('torch', () => ask<true>('torch whether it sees the GPU', ['-c', check]))
    if (found !== true) return found
    return ask<T>(`torch: ${script}`, [join(import.meta.dirname, '..', script), JSON.stringify(asked)])
  })
}

/** Asks within the time that is left to the answerer, and logs the answer: an interrupted run has at least those. */
async function answerWithin<T>(
  bench: Bench,
  answerer: Answerer,
  what: string,
  command: string,
  argv: readonly string[],
): Promise<T> {
  const counts = await bench.once('questions', async () => ({ own: 0, torch: 0, cpu: 0 }))
  const limit = limitSec(answerer, bench.elapsedSec(), counts[answerer]++)
  bench.log(`asking ${what.slice(0, 200)}, for ${Math.round(limit)} s at most`)
  const answer = await answerOf<T>(command, argv, limit)
  await bench.keepAnswer({ what, argv: argv.slice(1), answer })
  bench.log(`  ${JSON.stringify(answer).slice(0, 200)}`)
  return answer
}
