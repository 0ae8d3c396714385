import type { Op } from '../op.ts'
import * as t from '../tensor.ts'
import type { Value } from '../value.ts'
import type { OpCase } from './caseModel.ts'

/** Arithmetic, shapes, sums and comparisons. */
export const tensorCases = {
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
} satisfies Partial<Record<Op, readonly OpCase[]>>

function castNode(x: Value): Value {
  return t.mul(x, x.graph.apply1('Cast', [x], { to: x.dtype === 'f64' ? 11 : 1 }))
}

/** Two truth values that hold in different places. */
const sides = (x: Value): [Value, Value] => [t.less(x, x.graph.scalar(-0.2)), t.greater(x, x.graph.scalar(0.5))]
