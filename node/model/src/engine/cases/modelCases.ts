import { groupedAttention, putRows } from '../cachedAttention.ts'
import type { Op } from '../op.ts'
import * as t from '../tensor.ts'
import type { Value } from '../value.ts'
import { constant, ids, numbers, type OpCase, size } from './caseModel.ts'

/** Products, gathers, norms, positions and attention. */
export const modelCases = {
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
} satisfies Partial<Record<Op, readonly OpCase[]>>

/** Attention of four heads over a cache whose rows end at different places, and the contents of the cache for these rows afterwards. */
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
