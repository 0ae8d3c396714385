import type { Op } from '../op.ts'
import * as t from '../tensor.ts'
import type { Value } from '../value.ts'
import { constant, ids, numbers, type OpCase } from './caseModel.ts'
import { modelCases } from './modelCases.ts'
import { tensorCases } from './tensorCases.ts'

const bytes = (count: number, seed: number) => Int8Array.from(numbers(count, seed), x => Math.trunc(x * 127))

/** Layers over weights of fewer bits, and output layers in parts. */
const quantizedCases = {
  HalfLinear: [true, false].map(transB => ({
    float16: true,
    inputs: [['S', 6]],
    build: x => {
      const w = constant(x, transB ? [4, 6] : [6, 4], numbers(24, 1))
      return t.halfLinear(x, w, transB)
    },
    tolerance: 2e-3,
  })),
  // 40 inputs are a block and a part of one, 8 less than a block.
  IntegerLinear: [
    { inner: 8, fused: true },
    { inner: 8, fused: false },
    { inner: 40, fused: true },
    { inner: 40, fused: true, unsigned: true },
  ].map(({ inner, fused, unsigned }) => ({
    inputs: [['S', inner]],
    build: x => {
      const codes = bytes(4 * inner, 1)
      const w = unsigned
        ? x.graph.constant(
            'u8',
            [inner, 4],
            Uint8Array.from(codes, code => code + 128),
          )
        : x.graph.constant('i8', [inner, 4], codes)
      return t.integerLinear(x, w, constant(x, [4], numbers(4, 2, [0.5, 1])), fused)
    },
  })),
  BlockLinear: [
    {
      inputs: [['S', 32], [4]],
      build: (x, bias) => {
        const codes = x.graph.constant(
          'u8',
          [4, 1, 16],
          Uint8Array.from(bytes(64, 3), code => code & 0xff),
        )
        const scales = constant(x, [4], numbers(4, 2, [0.5, 1]))
        return t.blockLinear(x, { codes, scales, bits: 4, blockSize: 32 }, bias)
      },
      tolerance: 0.02, // the CPU rounds activations to 8 bits too
    },
  ],
  IntegerTokenLogProb: [
    {
      inputs: [[3, 8]],
      build: x => t.integerTokenLogProb(x, integerLayer(x), ids(x, [4, 0, 2]), 0.7),
      tolerance: 0.01, // the CPU rounds the probabilities that rows are summed by
    },
  ],
  PartedTokenLogProb: [
    {
      inputs: [[4, 3]],
      build: x => {
        const weight = constant(x, [5, 3], numbers(15, 7))
        const parts = [numbers(15, 7).subarray(0, 6), numbers(15, 7).subarray(6)].map(data =>
          constant(x, [data.length / 3, 3], data),
        )
        return t.partedTokenLogProb(x, parts, ids(x, [4, 0, 1, 2]), 0.7, weight)
      },
    },
  ],
} satisfies Partial<Record<Op, readonly OpCase[]>>

/** Six tokens in two parts over rows of 8. */
function integerLayer(x: Value): t.IntegerOutputLayer {
  const [codes, g] = [bytes(48, 5), x.graph]
  const scales = numbers(6, 6, [0.005, 0.01])
  const part = (first: number, length: number) => {
    const rows = codes.subarray(8 * first, 8 * (first + length))
    const columns = Int8Array.from(
      { length: 8 * length },
      (_, i) => rows[(i % length) * 8 + Math.floor(i / length)] ?? 0,
    )
    const middle = Int8Array.from({ length: 8 }, (_, c) =>
      Math.round(Array.from({ length }, (_, r) => rows[8 * r + c] ?? 0).reduce((a, b) => a + b, 0) / length),
    )
    return {
      columns: g.constant('i8', [8, length], columns),
      scales: constant(x, [length], scales.subarray(first, first + length)),
      rows: g.constant('i8', [length, 8], rows),
      middle: g.constant('i8', [8], middle),
    }
  }
  return {
    rows: g.constant('i8', [6, 8], codes),
    scales: constant(x, [6], scales),
    parts: [part(0, 3), part(3, 3)],
  }
}

/**
 * At least one case for every op. The op table is tested on them: its gradients in float64 on the CPU, its outputs and gradients in
 * float32 on each device.
 */
export const opCases: Record<Op, readonly OpCase[]> = { ...tensorCases, ...modelCases, ...quantizedCases }
