import type { Emitter } from '../opRow.ts'
import { chain } from './integer.ts'

/** Emits the largest of x over axes (kept as 1), log(sum(exp(x))) minus that, and x minus that. */
export function emitLogSum(e: Emitter, x: string, axes: readonly number[]) {
  const step = chain(e)
  const largest = step('ReduceMax', [x, e.integers(axes)], { keepdims: 1 })
  const rest = step('Sub', [x, largest])
  const sum = step('Log', [step('ReduceSum', [step('Exp', [rest]), e.integers(axes)], { keepdims: 1 })])
  return { largest, rest, sum }
}

/** Emits the log-softmax over the last axis: WebGPU has no kernel for it. */
export function emitLogSoftmax(e: Emitter, x: string, output: string): void {
  if (e.device !== 'webgpu') {
    e.node('LogSoftmax', [x], [output], { axis: -1 })
    return
  }
  const { rest, sum } = emitLogSum(e, x, [-1])
  e.node('Sub', [rest, sum], [output])
}
