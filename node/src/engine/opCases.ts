import { groupedAttention, putRows } from './cachedAttention.ts'
import { numbers, type OpCase, size } from './caseModel.ts'
import type { Op } from './op.ts'
import * as t from './tensor.ts'
import type { Value } from './value.ts'

// What the op table is tested on: its gradients in float64 on the CPU, its outputs and gradients in float32 on each device.

const ids = (like: Value, xs: readonly number[], shape: readonly number[] = [xs.length]) =>
  like.graph.constant('i64', shape, BigInt64Array.from(xs, BigInt))

/** Numbers in the graph's own type. */
const constant = (like: Value, shape: readonly number[], xs: ArrayLike<number>) =>
  like.graph.constant(like.dtype, shape, like.dtype === 'f64' ? Float64Array.from(xs) : Float32Array.from(xs))

const bytes = (count: number, seed: number) => Int8Array.from(numbers(count, seed), x => Math.trunc(x * 127))

/** At least one case for every op. */
export const opCases: Record<Op, readonly OpCase[]> = {
  Add: [{ inputs: [['S', 4], [4]], build: t.add }],
  Sub: [
    {
      inputs: [
        ['S', 4],
        ['S', 1],
      ],
      build: t.sub,
    },
  ],
  Mul: [
    {
      inputs: [
        [2, 'S', 4],
        ['S', 4],
      ],
      build: t.mul,
    },
  ],
  Div: [{ inputs: [['S', 4], [4]], between: [0.5, 2], build: t.div }],
  Min: [{ inputs: [['S', 4], [4]], build: t.min }],
  Max: [{ inputs: [['S', 4], [4]], build: t.max }],
  Neg: [{ inputs: [['S']], build: t.neg }],
  Exp: [{ inputs: [['S']], build: t.exp }],
  Log: [{ inputs: [['S', 2]], between: [0.5, 2], build: t.log }],
  Sqrt: [{ inputs: [['S', 2]], between: [0.5, 2], build: t.sqrt }],
  Reciprocal: [{ inputs: [['S', 2]], between: [0.5, 2], build: t.reciprocal }],
  Sigmoid: [{ inputs: [['S', 2]], build: t.sigmoid }],
  Identity: [{ inputs: [['S', 2]], build: t.identity }],
  Clip: [{ inputs: [['S', 8]], build: x => t.clip(x, -0.5, 0.5) }],
  Where: [{ inputs: [['S', 4], [4], ['S', 1]], build: (c, a, b) => t.where(t.greater(c, c.graph.scalar(0)), a, b) }],
  Cast: [{ inputs: [['S']], build: castNode }],
  Reshape: [
    { inputs: [['S', 4]], build: x => t.reshape(x, [2, '2*S']) },
    { inputs: [['S', 4, 5]], build: x => t.reshape(x, ['4*S', 5]) },
    { title: 'two lengths at new places', inputs: [['S', 'R', 4]], build: x => t.reshape(x, [2, 'S', 2, 'R']) },
  ],
  Transpose: [{ inputs: [[2, 'S', 4]], build: x => t.transpose(x, [2, 0, 1]) }],
  Expand: [{ inputs: [[1, 4]], build: x => t.expand(x, [2, 3, 4]) }],
  Concat: [
    {
      inputs: [
        ['S', 2],
        ['S', 3],
      ],
      build: (a, b) => t.concat([a, b], -1),
    },
  ],
  Split: [{ inputs: [['S', 5]], build: x => t.split(x, -1, [2, 3])[1] as Value }],
  Slice: [{ inputs: [['S', 5]], build: x => t.slice(x, 1, 1, -1) }],
  Pad: [{ inputs: [['S', 5]], build: x => t.pad(x, 1, 2, 1) }],
  Unsqueeze: [{ inputs: [['S', 5]], build: x => t.unsqueeze(x, 1) }],
  Squeeze: [{ inputs: [['S', 1, 5]], build: x => t.squeeze(x, 1) }],
  ReduceSum: [
    { inputs: [['S', 4]], build: x => t.sumOver(x, [0]) },
    { inputs: [['S', 4]], build: x => t.sumOver(x, [1], true) },
  ],
  ReduceMean: [{ inputs: [['S', 4]], build: x => t.meanOver(x, -1) }],
  ReduceMax: [{ inputs: [['S', 4]], build: x => t.maxOver(x, -1) }],
  ReduceLogSumExp: [
    { inputs: [['S', 4]], build: x => t.logSumExp(x, -1) },
    { title: 'of large numbers, kept', inputs: [['S', 4]], between: [100, 101], build: x => t.logSumExp(x, -1, true) },
  ],
  Softmax: [{ inputs: [['S', 4]], build: t.softmax }],
  LogSoftmax: [{ inputs: [['S', 4]], build: t.logSoftmax }],
  CumSum: [
    { inputs: [['S', 4]], build: x => t.cumSum(x, 1) },
    { inputs: [['S', 4]], build: x => t.cumSum(x, 1, { exclusive: true, reverse: true }) },
  ],
  MatMul: [
    {
      inputs: [
        ['S', 4],
        [4, 5],
      ],
      build: (a, b) => t.matMul(a, b),
    },
    {
      inputs: [
        [2, 'S', 4],
        [5, 4],
      ],
      build: (a, b) => t.matMul(a, b, { transB: true, alpha: 0.5 }),
    },
    {
      inputs: [
        [2, 4, 'S'],
        [2, 4, 5],
      ],
      build: (a, b) => t.matMul(a, b, { transA: true }),
    },
    {
      inputs: [
        [2, 4, 'S'],
        [1, 5, 4],
      ],
      build: (a, b) => t.matMul(a, b, { transA: true, transB: true, alpha: 2 }),
    },
    {
      title: 'a weight under a transposed batch',
      inputs: [
        [2, 4, 'S'],
        [4, 5],
      ],
      build: (a, b) => t.matMul(a, b, { transA: true }),
    },
  ],
  Gather: [{ inputs: [[5, 4]], build: x => t.gather(x, ids(x, [1, 3, 1, 1], [2, 2]), 0) }],
  GatherElements: [{ inputs: [[2, 4]], build: x => t.gatherElements(x, ids(x, [1, 1, 3, 0], [2, 2]), 1) }],
  ScatterElements: [
    {
      inputs: [
        [2, 4],
        [2, 2],
      ],
      build: (x, u) => t.scatterAdd(x, ids(x, [1, 1, 3, 0], [2, 2]), u, 1),
    },
  ],
  ScatterRows: [
    { inputs: [[4, 3]], build: u => t.scatterRows(constant(u, [5, 3], numbers(15, 4)), ids(u, [4, 0, 4, 1]), u) },
  ],
  TopK: [{ inputs: [['S', 5]], build: x => t.topK(x, 2)[0] }],
  TokenLogProb: [
    {
      inputs: [
        [3, 4],
        [5, 4],
      ],
      build: (x, w) => t.tokenLogProb(x, w, ids(x, [4, 0, 4]), 0.7),
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
  RmsNorm: [{ inputs: [['S', 4], [4]], build: (x, w) => t.rmsNorm(x, w, 1e-6) }],
  Rope: [
    {
      inputs: [[2, 3, 4]],
      build: x => {
        const table = (f: (x: number) => number) => [0, 1, 2].flatMap(p => [0, 1, 0, 1].map(i => f(p / 3 ** i)))
        const [cos, sin] = [Math.cos, Math.sin].map(f => constant(x, [3, 4], table(f)))
        return t.rope(x, cos as Value, sin as Value)
      },
    },
  ],
  SiluMul: [
    {
      inputs: [
        ['S', 4],
        ['S', 4],
      ],
      build: t.siluMul,
    },
  ],
  Less: [{ inputs: [['S', 4], [4]], build: t.less }],
  LessOrEqual: [{ inputs: [['S', 4], [4]], build: t.lessOrEqual }],
  Greater: [{ inputs: [['S', 4], [4]], build: t.greater }],
  GreaterOrEqual: [{ inputs: [['S', 4], [4]], build: t.greaterOrEqual }],
  Equal: [{ inputs: [['S', 4]], build: x => t.equal(t.max(x, x.graph.scalar(0)), x) }],
  And: [{ inputs: [['S', 4]], build: x => t.and(...sides(x)) }],
  Or: [{ inputs: [['S', 4]], build: x => t.or(...sides(x)) }],
  Not: [{ inputs: [['S', 4]], build: x => t.not(sides(x)[0]) }],
  ArgMax: [{ inputs: [['S', 5]], build: x => t.argMax(x, -1) }],
  Shape: [{ inputs: [['S', 5]], build: x => x.graph.apply1('Shape', [x]) }],
  Range: [{ inputs: [['S', 5]], build: x => t.range(x, 'S') }],
  PutRows: [
    {
      inputs: [
        ['S', 2, 2],
        [2, 2, 2],
      ],
      build: (x, y) => putRows(x, ids(x, [2, 0]), y),
    },
  ],
  GatherND: [{ inputs: [[2, 4]], build: x => t.gatherND(x, ids(x, [1, 3], [2, 1]), 1) }],
  RotaryEmbedding: [
    {
      inputs: [
        [2, 2, 'S', 4],
        [5, 2],
        [5, 2],
      ],
      build: (x, cos, sin) => x.graph.apply1('RotaryEmbedding', [x, ids(x, [0, 1, 2, 2, 3, 4], [2, 3]), cos, sin]),
    },
  ],
  AddRmsNorm: [
    {
      inputs: [['S', 8], ['S', 8], [8]],
      build: (x, y, w) => {
        const { sum, normal } = t.addRmsNorm(x, y, w, 1e-6)
        return t.add(sum, normal)
      },
    },
  ],
  HalfLinear: [true, false].map(transB => ({
    float16: true,
    inputs: [['S', 6]],
    build: x => {
      const w = constant(x, transB ? [4, 6] : [6, 4], numbers(24, 1))
      return t.halfLinear(x, w, transB)
    },
    tolerance: 2e-3,
  })),
  GroupedAttention: [
    {
      title: 'one token for rows of different lengths',
      inputs: [
        [2, 1, 64],
        [2, 1, 32],
        [2, 1, 32],
        [2, 2, 8, 16],
        [2, 2, 8, 16],
      ],
      build: (q, k, v, ...cache) => attendedCase([q, k, v], cache, [5, 3], false),
    },
    {
      title: 'some tokens of a row, turned',
      inputs: [
        [1, 3, 128],
        [1, 2, 8, 16],
        [1, 2, 8, 16],
        [8, 8],
        [8, 8],
      ],
      build: (qkv, key, value, cos, sin) => attendedCase([qkv], [key, value], [6], { cos, sin }),
    },
  ],
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
}

/** Attention of four heads after a cache whose rows end at some places, and all that these rows have in the cache then. */
function attendedCase(
  projected: readonly [Value] | readonly [Value, Value, Value],
  [key, value]: readonly Value[],
  lastPlaces: readonly number[],
  rotary: { readonly cos: Value; readonly sin: Value } | false,
): Value {
  const { graph } = projected[0]
  const cache = {
    key: key as Value,
    value: value as Value,
    lastPlace: graph.constant('i32', [lastPlaces.length], Int32Array.from(lastPlaces)),
    filled: graph.scalar(Math.max(...lastPlaces) + 1, 'i32'),
  }
  const after = groupedAttention(projected, cache, 4, rotary || null)
  const filled = (x: Value) => t.slice(x, 2, 0, Math.min(...lastPlaces) + 1)
  const flat = (x: Value) => t.reshape(x, [size(x.shape as number[])])
  return t.concat([flat(after.mixed), flat(filled(after.key)), flat(filled(after.value))], 0)
}

function castNode(x: Value): Value {
  return t.mul(x, x.graph.apply1('Cast', [x], { to: x.dtype === 'f64' ? 11 : 1 }))
}

/** Two truth values that hold in different places. */
const sides = (x: Value): [Value, Value] => [t.less(x, x.graph.scalar(-0.2)), t.greater(x, x.graph.scalar(0.5))]

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
