import { expect, test } from 'vitest'
import { describeMachine } from './devices/describeMachine.ts'
import { gradients } from './gradients.ts'
import { Graph } from './graph.ts'
import { kernelTraits } from './kernelTraits.ts'
import { encodeModel } from './onnxModel.ts'
import { createSession, type Tensor, tensor } from './session.ts'
import { blockLinear, integerLinear, integerTokenLogProb, mul, sumOver } from './tensor.ts'
import type { Value } from './value.ts'

const [rows, inner, outer] = [5, 64, 10]
/** Pairs at both ends of the codes, whose products 16 bits cannot hold in sum; the last two columns have all codes. */
const codes = Int8Array.from({ length: inner * outer }, (_, i) => {
  const [k, n] = [Math.floor(i / outer), i % outer]
  if (n >= 8) return 4 * k - 128 + 3 * (n - 8)
  return [127, -128, -127, k % 2 ? 127 : -128][n] ?? (k % 4 < 2 ? 127 : -128)
})
/** Rows of the bytes 255 and 1, of both in turn, and of many. */
const x = Float32Array.from({ length: rows * inner }, (_, i) => {
  const [r, k] = [Math.floor(i / inner), i % inner]
  return [1, -1, k % 2 ? 1 : -1, k % 4 < 2 ? 1 : -1, k === 0 ? 1 : ((k * 7) % 255) / 127 - 1][r] as number
})
const transposed = Int8Array.from(codes, (_, i) => codes[(i % inner) * outer + Math.floor(i / inner)] as number)
const wave = (length: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * 1.7))
const ones = new Float32Array(outer).fill(1)

const feeds: Record<string, Tensor> = {
  x: tensor('f32', x, [rows, inner]),
  codes: tensor('i8', codes, [inner, outer]),
  rows: tensor('i8', transposed, [outer, inner]),
  ones: tensor('f32', ones, [outer]),
  middle: tensor(
    'i8',
    Int8Array.from({ length: inner }, (_, k) => 4 * k - 128),
    [inner],
  ),
  dy: tensor(
    'f32',
    Float32Array.from({ length: rows * outer }, (_, i) => (i % 3 < 2 ? 1 : -1)),
    [rows, outer],
  ),
}

/** Outputs of a graph as encoded for this CPU, and for one whose kernels have all traits. */
async function bothOutputs(outputs: Record<string, Value>) {
  const model = encodeModel(outputs)
  const bytes = model.bytesFor?.({ productsSaturate: true, loneRowsDiffer: true }) as Uint8Array
  expect(Buffer.compare(bytes, model.bytes)).not.toBe(0)
  const results: Record<string, Tensor>[] = []
  for (const program of [model, { ...model, bytes }]) {
    const session = await createSession(program, { threads: 1 })
    results.push(await session.run(Object.fromEntries([...model.inputs.keys()].map(n => [n, feeds[n] as Tensor]))))
    await session.dispose()
  }
  return results as [Record<string, Tensor<'f32'>>, Record<string, Tensor<'f32'>>]
}

const sums = Float32Array.from({ length: rows * outer }, (_, i) => {
  const [r, n] = [Math.floor(i / outer), i % outer]
  let sum = 0
  for (let k = 0; k < inner; k++)
    sum += Math.round((x[r * inner + k] as number) * 127) * (codes[k * outer + n] as number)
  return Math.fround(sum) * Math.fround(1 / 127)
})

test.each([
  ['fed', 'one kernel', true],
  ['fed', 'separate nodes', false],
  ['constant', 'one kernel', true],
  ['constant', 'separate nodes', false],
])(
  'products by unsigned bytes are exact at both ends of the codes, and so are their gradients: %s weights, %s',
  async (weights, _, fused) => {
    const graph = new Graph()
    const input = graph.input('x', 'f32', [rows, inner])
    const w =
      weights === 'fed' ? graph.input('codes', 'i8', [inner, outer]) : graph.constant('i8', [inner, outer], codes)
    const y = integerLinear(input, w, graph.constant('f32', [outer], ones), fused)
    const [dx] = gradients(sumOver(mul(y, graph.input('dy', 'f32', [rows, outer]))), [input])
    const [own, unsigned] = await bothOutputs({ y, dx: dx as Value })
    expect(own.y?.data).toEqual(sums)
    expect(unsigned).toEqual(own)
  },
)

test('an output layer by unsigned bytes has the log-probabilities and gradients of one by signed bytes', async () => {
  const graph = new Graph()
  const input = graph.input('x', 'f32', [rows, inner])
  const table = graph.input('rows', 'i8', [outer, inner])
  const scales = graph.input('ones', 'f32', [outer])
  const part = { columns: graph.input('codes', 'i8', [inner, outer]), scales, rows: table }
  const layer = { rows: table, scales, parts: [{ ...part, middle: graph.input('middle', 'i8', [inner]) }] }
  const tokens = graph.constant('i64', [rows], BigInt64Array.of(0n, 1n, 2n, 8n, 9n))
  const logprobs = integerTokenLogProb(input, layer, tokens, 1e-3)
  const [dx] = gradients(sumOver(logprobs), [input])
  const [own, unsigned] = await bothOutputs({ logprobs, dx: dx as Value })
  expect(own.dx?.data.every(Number.isFinite)).toBe(true)
  expect(unsigned).toEqual(own)
})

test('a row by weights of few bits is bitwise identical alone and in a batch', async () => {
  const [out, blockSize] = [40, 32]
  const graph = new Graph()
  const blocks = (out * inner) / blockSize
  const bytes = Uint8Array.from({ length: blocks * 16 }, (_, i) => (i * 97 + (i >> 4) * 31) % 256)
  const weights = {
    codes: graph.constant('u8', [out, inner / blockSize, 16], bytes),
    scales: graph.constant('f32', [blocks], wave(blocks)),
  }
  const bias = graph.constant('f32', [out], wave(out))
  const y = blockLinear(graph.input('x', 'f32', ['R', inner]), { ...weights, bits: 4, blockSize }, bias)
  const model = encodeModel({ y })
  const all = { productsSaturate: true, loneRowsDiffer: true }
  for (const program of [model, { ...model, bytes: model.bytesFor?.(all) as Uint8Array }]) {
    const session = await createSession(program, { threads: 1 })
    const product = async (from: number, count: number) => {
      const part = wave(rows * inner).subarray(from * inner, (from + count) * inner)
      return (await session.run({ x: tensor('f32', part, [count, inner]) })).y as Tensor<'f32'>
    }
    const together = await product(0, rows)
    for (let r = 0; r < rows; r++)
      expect(await product(r, 1)).toEqual({
        ...together,
        shape: [1, out],
        data: together.data.subarray(r * out, (r + 1) * out),
      })
    await session.dispose()
  }
})

test('products do not saturate where the CPU has VNNI', async () => {
  const { instructionSets } = await describeMachine()
  const hasDotProduct = instructionSets.some(name => name === 'avx512_vnni' || name === 'avx_vnni')
  expect((await kernelTraits()).productsSaturate && hasDotProduct).toBe(false)
})
