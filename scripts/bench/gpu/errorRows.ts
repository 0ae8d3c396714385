import type { Device } from '../../../node/model/src/engine/devices/device.ts'
import type { Bench } from '../../measure/bench.ts'
import type { Measured } from '../../measure/row.ts'
import { type Asked, onCpu, ours, productsOf } from './answers.ts'

/** Numbers as JSON brings them: null if one was not finite. */
type Numbers = readonly (number | null)[]

interface Logprobs {
  readonly logprobs: Numbers
}

interface Drawn extends Logprobs {
  /** Of a prompt, and those drawn after it. */
  readonly tokens: readonly number[]
  readonly from: number
}

interface Gradient {
  /** Of the whole gradient. */
  readonly norm: number | null
  /** Some of its elements, the same on each device. */
  readonly sampled: Numbers
}

export const logprobs: Asked = { what: 'logprobs' }
export const drawn: Asked = { what: 'drawn' }
export const gradient: Asked = { what: 'gradient' }

/** A scorer, which reads all tokens at once. */
export async function logprobRow(bench: Bench, gpu: Device): Promise<Measured> {
  const own = await ours<Logprobs>(bench, gpu, logprobs)
  const cpu = await onCpu<Logprobs>(bench, logprobs)
  const precision = await productsOf(bench, gpu)
  return meanError(own.logprobs, cpu.logprobs, `${precision} on the GPU, ${cpu.logprobs.length} tokens of one sequence`)
}

/** Generation, which reads its cache token by token. */
export async function drawnRow(bench: Bench, gpu: Device): Promise<Measured> {
  const { tokens, from, logprobs: own } = await ours<Drawn>(bench, gpu, drawn)
  const cpu = await onCpu<Logprobs>(bench, { ...logprobs, tokens, from })
  const precision = await productsOf(bench, gpu)
  const conditions = `${precision} on the GPU with its cache, ${own.length} tokens drawn at temperature 1 after ${from}`
  return meanError(own, cpu.logprobs, conditions)
}

/** An adapter's gradient, over the base in the GPU's type. */
export async function gradientRow(bench: Bench, gpu: Device): Promise<Measured> {
  const own = await ours<Gradient>(bench, gpu, gradient)
  const cpu = await onCpu<Gradient>(bench, gradient)
  const base = await productsOf(bench, gpu)
  const conditions = `a base in ${base} on the GPU, ${cpu.sampled.length} elements, norms ${own.norm} and ${cpu.norm}`
  return finiteOr(own.sampled, cpu.sampled, conditions, (a, b) => {
    const norm = (xs: readonly number[]) => Math.hypot(...xs)
    return norm(b.map((x, i) => x - (a[i] as number))) / norm(b)
  })
}

function meanError(own: Numbers, cpu: Numbers, conditions: string): Measured {
  return finiteOr(own, cpu, conditions, (a, b) => {
    const errors = b.map((x, i) => Math.abs(x - (a[i] as number)))
    return errors.reduce((sum, x) => sum + x, 0) / errors.length
  })
}

/** A figure of finite numbers, or how many are not finite. */
function finiteOr(
  own: Numbers,
  cpu: Numbers,
  conditions: string,
  figure: (own: readonly number[], cpu: readonly number[]) => number,
): Measured {
  const isNumber = (x: number | null) => x !== null
  const [a, b] = [own.filter(isNumber), cpu.filter(isNumber)]
  if (own.length !== cpu.length)
    return {
      value: null,
      conditions: `${conditions}; ${own.length} numbers came from the GPU, ${cpu.length} from the CPU`,
    }
  if (a.length < own.length || b.length < cpu.length) {
    const lost = `${own.length - a.length} on the GPU and ${cpu.length - b.length} on the CPU of ${own.length}`
    return { value: null, conditions: `${conditions}; numbers that are not finite: ${lost}` }
  }
  return { value: figure(a, b), conditions }
}
