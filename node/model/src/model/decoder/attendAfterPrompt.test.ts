import { expect, test } from 'vitest'
import { checkGradients } from '#engine/gradientCheck.ts'
import { gradients } from '#engine/gradients.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { mul, sumOver } from '#engine/tensor.ts'
import type { Shape, Value } from '#engine/value.ts'
import { attendAfterPrompt, positionsAfterPrompt } from './attendAfterPrompt.ts'
import { attendCausally, causalMask, type Span } from './attendCausally.ts'
import { ropeTables } from './rope.ts'
import { tinyConfig } from './tinyDecoder.ts'

const config = { ...tinyConfig, heads: 4, kvHeads: 2, headDim: 4 }
const { heads, kvHeads, headDim } = config

// All begin with 3 tokens; two prompts add 2 and 1 of them, and have 2 sequences of 2 tokens each.
const [R, Q, G, B, C] = [3, 2, 2, 2, 2] as const
const N = R + G * Q + G * B * C
const promptLengths = [5, 4]
const ownRow = (g: number, b: number) => R + G * Q + (g * B + b) * C
/** The rows of each sequence, in order. */
const sequences = promptLengths.flatMap((length, g) =>
  [0, 1].map(b => [
    ...[0, 1, 2],
    ...Array.from({ length: length - R }, (_, i) => R + g * Q + i),
    ...[0, 1].map(c => ownRow(g, b) + c),
  ]),
)

const f64 = (shape: readonly number[], f: (i: number) => number) =>
  tensor(
    'f64',
    Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => f(i)),
    shape,
  )
const projections = {
  query: f64([N, heads, headDim], i => Math.sin(i * 1.3)),
  key: f64([N, kvHeads, headDim], i => Math.cos(i * 0.7)),
  value: f64([N, kvHeads, headDim], i => Math.sin(i * 2.9 + 1)),
}
const width = heads * headDim

/** Rows [from, from + count) of the rotary tables, one after the other. */
function tables(shape: readonly number[], ...spans: [from: number, count: number][]) {
  const rotary = ropeTables(config, 16)
  const rowsOf = (data: Float32Array) =>
    spans.flatMap(([from, count]) => [...data.subarray(from * headDim, (from + count) * headDim)])
  const [cos, sin] = [rowsOf(rotary.cos), rowsOf(rotary.sin)]
  return { cos: f64([...shape, headDim], i => cos[i] ?? 0), sin: f64([...shape, headDim], i => sin[i] ?? 0) }
}

function inputsOf(graph: Graph, leading: Shape) {
  const input = (name: string, count: number) => graph.input(name, 'f64', [...leading, count, headDim])
  return { query: input('query', heads), key: input('key', kvHeads), value: input('value', kvHeads) }
}

function sharedModel() {
  const graph = new Graph('f64')
  const { before, ...own } = positionsAfterPrompt(graph, config)
  const inputs = inputsOf(graph, ['N'])
  return { graph, inputs, y: attendAfterPrompt(config, inputs, own, before as readonly [Span, Span]) }
}

function sharedFeeds(): Record<string, Tensor> {
  const [beginning, prompt] = [tables([R], [0, R]), tables([Q], [R, Q])]
  const own = tables(
    [G * B, 1, C],
    ...promptLengths.flatMap(
      at =>
        [
          [at, C],
          [at, C],
        ] as [number, number][],
    ),
  )
  const isMissing = (i: number) => i % (R + Q) >= (promptLengths[Math.floor(i / (R + Q) / B)] as number)
  return {
    ...projections,
    ...own,
    ...{ beginningCos: beginning.cos, beginningSin: beginning.sin, promptCos: prompt.cos, promptSin: prompt.sin },
    promptMask: f64([G * B, 1, 1, R + Q], i => (isMissing(i) ? -1e9 : 0)),
    sequences: tensor('i64', new BigInt64Array(G * B), [G, B]),
  }
}

async function run(y: Value, feeds: Record<string, Tensor>): Promise<Float64Array> {
  const session = await createSession(encodeModel({ y }), { threads: 1 })
  const { y: result } = await session.run(feeds)
  await session.dispose()
  return (result as Tensor<'f64'>).data
}

test('every token attends as in its sequence alone, also after prompts of other lengths', async () => {
  const shared = await run(sharedModel().y, sharedFeeds())
  const rowOf = (data: Float64Array, row: number) => [...data.subarray(row * width, (row + 1) * width)]
  for (const rows of sequences) {
    const graph = new Graph('f64')
    const [cos, sin] = ['cos', 'sin'].map(name => graph.input(name, 'f64', ['T', headDim])) as [Value, Value]
    const inputs = inputsOf(graph, ['B', 'T'])
    const span = { cos, sin, mask: causalMask(heads / kvHeads, cos) }
    const picked = Object.entries(projections).map(([name, { data, shape }]) => {
      const each = (shape[1] as number) * headDim
      const own = rows.flatMap(row => [...(data as Float64Array).subarray(row * each, (row + 1) * each)])
      return [name, f64([1, rows.length, ...shape.slice(1)], i => own[i] as number)] as const
    })
    const feeds = { ...Object.fromEntries(picked), ...tables([rows.length], [0, rows.length]) }
    const alone = await run(attendCausally(config, inputs, span), feeds)
    for (const [t, row] of rows.entries())
      for (const [i, x] of rowOf(alone, t).entries()) expect(rowOf(shared, row)[i]).toBeCloseTo(x, 12)
  }
})

test('gradients agree with finite differences within 1e-7', async () => {
  const { graph, inputs, y } = sharedModel()
  const weights = graph.input('weights', 'f64', ['N', width])
  const loss = sumOver(mul(weights, mul(y, y)))
  const parts = gradients(loss, Object.values(inputs))
  const named = Object.keys(inputs).map((name, i) => [`gradient.${name}`, parts[i] as Value] as const)
  // The row that a shorter prompt lacks counts for nothing.
  const counted = (row: number) => (sequences.some(rows => rows.includes(row)) ? 1 : 0)
  const feeds = { ...sharedFeeds(), weights: f64([N, width], i => counted(Math.floor(i / width)) * Math.cos(i)) }
  const check = await checkGradients(encodeModel({ loss, ...Object.fromEntries(named) }), feeds)
  expect(check.checked).toBe(N * headDim * (heads + 2 * kvHeads))
  expect(check.worst, check.at).toBeLessThan(1e-7)
})
