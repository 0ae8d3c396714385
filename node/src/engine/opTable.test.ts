import { describe, expect, test } from 'vitest'
import { GraphError } from './engineError.ts'
import { checkGradients } from './gradientCheck.ts'
import { gradients } from './gradients.ts'
import { Graph, type Shape, type Value } from './graph.ts'
import { encodeModel } from './onnxModel.ts'
import type { Op } from './op.ts'
import { opTable } from './opTable.ts'
import { type Tensor, tensor } from './session.ts'
import * as t from './tensor.ts'

interface Case {
  readonly title?: string
  /** Shapes of the float inputs; `S` stands for 3. */
  readonly inputs: readonly Shape[]
  /** Values in [low, high): away from poles and kinks. */
  readonly between?: readonly [number, number]
  readonly build: (...inputs: Value[]) => Value
}

const ids = (like: Value, xs: readonly number[], shape: readonly number[] = [xs.length]) =>
  like.graph.constant('i64', shape, BigInt64Array.from(xs, BigInt))

/** At least one case for every op that has a gradient; the table decides which those are. */
const cases: Partial<Record<Op, readonly Case[]>> = {
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
  Cast: [
    { inputs: [['S', 4]], build: x => t.cast(t.cast(x, 'f64'), 'f64') },
    { inputs: [['S']], build: castNode },
  ],
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
  ReduceLogSumExp: [{ inputs: [['S', 4]], build: x => t.logSumExp(x, -1) }],
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
        const weight = x.graph.constant('f64', [5, 3], numbers(15, 7))
        const parts = [numbers(15, 7).subarray(0, 6), numbers(15, 7).subarray(6)].map(data =>
          x.graph.constant('f64', [data.length / 3, 3], data),
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
        const g = x.graph
        const [cos, sin] = [Math.cos, Math.sin].map(f => g.constant('f64', [3, 4], Float64Array.from(table(f))))
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
}

function castNode(x: Value): Value {
  return t.mul(x, x.graph.apply1('Cast', [x], { to: 11 }))
}

/** Deterministic numbers in [low, high) that do not repeat. */
function numbers(count: number, seed: number, [low, high]: readonly [number, number] = [-1, 1]): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => {
    const x = Math.sin((i + 1) * 12.9898 + seed * 78.233) * 43758.5453
    return low + (high - low) * (x - Math.floor(x))
  })
}

const lengths: Record<string, number> = { S: 3, R: 2 }
const bound = (shape: Shape) => shape.map(d => (typeof d === 'number' ? d : (lengths[d] as number)))
const size = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1)

/** sum(y * c) with fixed c, so that every element of y has a gradient of its own. */
function modelOf({ inputs, build, between }: Case) {
  const graph = new Graph('f64')
  const feeds: Record<string, Tensor> = {}
  const values = inputs.map((shape, i) => {
    feeds[`x${i}`] = tensor('f64', numbers(size(bound(shape)), i, between), bound(shape))
    return graph.input(`x${i}`, 'f64', shape)
  })
  const y = build(...values)
  const count = y.shape.map(d =>
    typeof d === 'number' ? d : d.split('*').reduce((n, f) => n * (lengths[f] ?? Number(f)), 1),
  )
  feeds.c = tensor('f64', numbers(size(count), 99), count)
  const loss = t.sumOver(t.mul(y, graph.input('c', 'f64', y.shape)))
  const parts = gradients(loss, values)
  const outputs: Record<string, Value> = { loss }
  for (const [i, part] of parts.entries()) outputs[`gradient.x${i}`] = part
  return { model: encodeModel(outputs), feeds }
}

const rows = Object.entries(opTable) as [Op, (typeof opTable)[Op]][]

describe('every differentiable op agrees with finite differences in float64', () => {
  for (const [op, row] of rows) {
    if (typeof row.gradient !== 'function') continue
    test(`${op} within 1e-7`, async () => {
      const opCases = cases[op]
      expect(opCases, `${op} has a gradient but no case here`).toBeDefined()
      for (const opCase of opCases ?? []) {
        const { model, feeds } = modelOf(opCase)
        const check = await checkGradients(model, feeds)
        expect(check.checked).toBeGreaterThan(0)
        expect(check.worst, `${opCase.title ?? op} at ${check.at}`).toBeLessThan(1e-7)
      }
    })
  }
})

test('a case exists only for ops that have a gradient', () => {
  for (const op of Object.keys(cases)) expect(typeof opTable[op as Op].gradient).toBe('function')
})

test('the gradient of a forward-only op is refused when the graph is built', () => {
  const graph = new Graph()
  const x = graph.input('x', 'f32', ['B', 'S', 8])
  const positions = graph.input('positions', 'i64', ['B', 'S'])
  const table = graph.constant('f32', [4, 2], new Float32Array(8))
  const loss = t.sumOver(graph.apply1('RotaryEmbedding', [x, positions, table, table], { num_heads: 2 }))
  expect(() => gradients(loss, [x])).toThrow(GraphError)
  expect(() => gradients(loss, [x])).toThrow('RotaryEmbedding has no gradient')
})

test('no gradient flows through a discrete op, and what the loss does not depend on has a gradient of zeros', () => {
  const graph = new Graph()
  const x = graph.input('x', 'f32', ['B', 3])
  const loss = t.sumOver(t.cast(t.argMax(x, -1), 'f32'))
  const [gradient] = gradients(loss, [x])
  expect(gradient?.shape).toEqual(['B', 3])
  expect(gradient?.producer?.op).toBe('Expand')
})
