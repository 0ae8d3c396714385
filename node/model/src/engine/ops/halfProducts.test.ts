import { expect, test } from 'vitest'
import { numbers } from '../cases/caseModel.ts'
import { Graph } from '../graph.ts'
import { encodeModel } from '../onnxModel.ts'
import { createSession, type Tensor, tensor } from '../session.ts'
import { cast, halfLinear, matMul } from '../tensor.ts'
import type { Value } from '../value.ts'
import { blockOf } from './halfProducts.ts'

test('a float16 product is divided into equal blocks of at most 256 numbers', () => {
  const inner = [896, 1536, 2560, 4864, 8960, 9728, 1216, 256, 224, 1024 + 4]
  expect(inner.map(blockOf)).toEqual([224, 256, 256, 256, 256, 256, 152, null, null, null])
})

const [rows, inner, columns] = [3, 896, 8]
const x = Float32Array.from(numbers(rows * inner, 1))
const weights = Float32Array.from(numbers(inner * columns, 2), w => w * 0.05)

/** The program for WebGPU, run on the CPU, whose kernels sum in float32. */
async function productOf(build: (x: Value, w: Value) => Value, shape: readonly number[]) {
  const graph = new Graph()
  const model = encodeModel(
    { y: build(graph.input('x', 'f32', ['R', inner]), graph.constant('f32', shape, weights)) },
    [],
    'webgpu',
  )
  const session = await createSession({ ...model, device: 'cpu' })
  const { y } = (await session.run({ x: tensor('f32', x, [rows, inner]) })) as { y: Tensor<'f32'> }
  await session.dispose()
  return { y, bytes: Buffer.from(model.bytes).toString('latin1') }
}

/** x W by its definition. */
const exact = (transB: boolean) =>
  Array.from({ length: rows * columns }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns]
    const weight = (k: number) => weights[transB ? column * inner + k : k * columns + column] as number
    return Array.from({ length: inner }, (_, k) => (x[row * inner + k] as number) * weight(k)).reduce((a, b) => a + b)
  })

test.each([true, false])(
  'the parts of a product in float16 are added in float32 on WebGPU, transposed %s',
  async transB => {
    const shape = transB ? [columns, inner] : [inner, columns]
    const { y, bytes } = await productOf(
      (x, w) => cast(matMul(cast(x, 'f16'), cast(w, 'f16'), { transB }), 'f32'),
      shape,
    )
    expect(y.shape).toEqual([rows, columns])
    for (const [i, value] of exact(transB).entries()) expect(Math.abs((y.data[i] as number) - value)).toBeLessThan(4e-3)
    expect(bytes).toContain('ReduceSum')
    expect(bytes).not.toContain('Gemm')
  },
)

test.each([true, false])('a base in float16 is multiplied in float32 on WebGPU, transposed %s', async transB => {
  const { y, bytes } = await productOf((x, w) => halfLinear(x, w, transB), transB ? [columns, inner] : [inner, columns])
  for (const [i, value] of exact(transB).entries()) expect(Math.abs((y.data[i] as number) - value)).toBeLessThan(1e-3)
  expect(bytes).toContain('Gemm')
  expect(bytes).not.toContain('ReduceMax')
})

const rounded = (x: number) => (Math as unknown as { f16round(x: number): number }).f16round(x)

/** Relative error of sums of `inner` products of normal numbers, each sum rounded to float16, in blocks that are added exactly. */
function errorOf(inner: number, block: number): number {
  let [off, all] = [0, 0]
  for (let sum = 0; sum < 100; sum++) {
    const [a, b] = [numbers(inner, sum), numbers(inner, 1_000 + sum)]
    let [found, part, expected] = [0, 0, 0]
    for (let k = 0; k < inner; k++) {
      const [p, q] = [a[k] as number, (b[k] as number) * 0.05]
      expected += p * q
      part = rounded(part + rounded(p) * rounded(q))
      if ((k + 1) % block === 0) [found, part] = [found + part, 0]
    }
    off += (found - expected) ** 2
    all += expected ** 2
  }
  return Math.sqrt(off / all)
}

test('blocks take two thirds of the error from a sum of thousands in float16', () => {
  expect(errorOf(4_864, 4_864)).toBeGreaterThan(6e-3)
  expect(errorOf(4_864, blockOf(4_864) as number)).toBeLessThan(3.5e-3)
})
