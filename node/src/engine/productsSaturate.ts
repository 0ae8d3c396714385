import ort from 'onnxruntime-node'
import { Graph } from './graph.ts'
import { encodeModel } from './onnxModel.ts'
import { integerLinear } from './tensor.ts'

let answer: Promise<boolean> | undefined

/**
 * Whether this CPU adds u8 x s8 products in pairs of 16 bits, which saturate, as x64 CPUs without VNNI do. A property of the CPU:
 * asked once in a process, by a product of the largest codes.
 */
export function productsSaturate(): Promise<boolean> {
  answer ??= probe()
  return answer
}

async function probe(): Promise<boolean> {
  const [rows, inner, outer] = [128, 64, 8]
  const graph = new Graph()
  const weights = graph.input('w', 'i8', [inner, outer])
  const scales = graph.constant('f32', [outer], new Float32Array(outer).fill(1))
  const y = integerLinear(graph.input('x', 'f32', [rows, inner]), weights, scales, true)
  const session = await ort.InferenceSession.create(encodeModel({ y }).bytes, { intraOpNumThreads: 1 })
  const { y: sums } = await session.run({
    x: new ort.Tensor('float32', new Float32Array(rows * inner).fill(1), [rows, inner]),
    w: new ort.Tensor('int8', new Int8Array(inner * outer).fill(127), [inner, outer]),
  })
  await session.release()
  const exact = Math.fround(inner * 127 * 127 * Math.fround(1 / 127))
  return (sums as ort.Tensor & { data: Float32Array }).data.some(sum => sum !== exact)
}
