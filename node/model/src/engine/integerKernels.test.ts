import { expect, test } from 'vitest'
import { Graph } from './graph.ts'
import { chooseByTimes, chooseIntegerKernels, type Run } from './integerKernels.ts'
import { encodeModel } from './onnxModel.ts'
import { integerLinear } from './tensor.ts'

test('the kernels that can run are exact and bitwise identical; each shape is timed once', async () => {
  const choices = await chooseIntegerKernels(
    [
      [64, 48],
      [130, 40],
      [64, 48],
    ],
    { threads: 1 },
  )
  expect(choices.map(({ shape }) => shape)).toEqual([
    [64, 48],
    [130, 40],
  ])
  for (const { fusedMs, separateMs, isFused } of choices) expect(isFused || separateMs < 0.9 * fusedMs).toBe(true)
})

test('other work of the machine, in one run or in most, does not decide which kernel is chosen', () => {
  const quiet: Run = [
    [1, 2],
    [4, 3],
  ]
  const disturbed: Run = [
    [30, 2],
    [40, 3],
  ]
  expect(chooseByTimes([quiet])).toEqual({ fusedMs: 5, separateMs: 5, isFused: true })
  expect(chooseByTimes([disturbed, disturbed, quiet, disturbed])).toEqual({ fusedMs: 5, separateMs: 5, isFused: true })
  const other = quiet.map(([fused, separate]): [number, number] => [2 * fused, separate])
  expect(chooseByTimes([disturbed, other])).toEqual({ fusedMs: 10, separateMs: 5, isFused: false })
  expect(chooseByTimes([other, other.map(([fused]): [number, number] => [fused, 99])]).isFused).toBe(false)
})

test('the model records the kernel that a timer chose; its hash covers only the product', () => {
  const model = (fused: boolean, columns = 2) => {
    const graph = new Graph()
    const codes = graph.constant('i8', [4, columns], new Int8Array(4 * columns).fill(3))
    const scales = graph.constant('f32', [columns], new Float32Array(columns).fill(1))
    return encodeModel({ y: integerLinear(graph.input('x', 'f32', ['R', 4]), codes, scales, fused) })
  }
  const [fused, separate] = [model(true), model(false)]
  expect(Buffer.compare(fused.bytes, separate.bytes)).not.toBe(0)
  expect(separate.hash).toBe(fused.hash)
  expect(model(true, 3).hash).not.toBe(fused.hash)
})
