import ort from 'onnxruntime-node'
import { Graph } from './graph.ts'
import { encodeModel } from './onnxModel.ts'
import type { KernelTraits } from './opRow.ts'
import { blockLinear, integerLinear } from './tensor.ts'
import type { Value } from './value.ts'

/**
 * Numbers below 1e-38 count as 0: products with them take twenty times as long, and weights may come from a stranger. The runtime
 * applies this setting to the calling thread at its first session only, so all sessions have it.
 */
export const tinyIsZero = { set_denormal_as_zero: '1' }

let answer: Promise<KernelTraits> | undefined

/** Traits of this CPU's kernels. Probed once per process, with products of a few kilobytes. */
export function kernelTraits(): Promise<KernelTraits> {
  answer ??= probe()
  return answer
}

const probe = async (): Promise<KernelTraits> => ({
  productsSaturate: await productsSaturate(),
  loneRowsDiffer: await loneRowsDiffer(),
})

/** Multiplies the largest codes. */
async function productsSaturate(): Promise<boolean> {
  const [rows, inner, outer] = [128, 64, 8]
  const graph = new Graph()
  const weights = graph.input('w', 'i8', [inner, outer])
  const scales = graph.constant('f32', [outer], new Float32Array(outer).fill(1))
  const session = await sessionOf(integerLinear(graph.input('x', 'f32', ['R', inner]), weights, scales, true))
  const w = new ort.Tensor('int8', new Int8Array(inner * outer).fill(127), [inner, outer])
  const x = new Float32Array(rows * inner).fill(1)
  const sums = await resultOf(session, { x: new ort.Tensor('float32', x, [rows, inner]), w })
  await session.release()
  const exact = Math.fround(inner * 127 * 127 * Math.fround(1 / 127))
  return sums.some(sum => sum !== exact)
}

/** Multiplies two rows, and the first of them again. */
async function loneRowsDiffer(): Promise<boolean> {
  const [inner, outer, blockSize] = [256, 32, 32]
  const graph = new Graph()
  const blocks = (outer * inner) / blockSize
  const bytes = Uint8Array.from({ length: (outer * inner) / 2 }, (_, i) => (i * 97 + (i >> 4) * 31) % 256)
  const codes = graph.constant('u8', [outer, inner / blockSize, blockSize / 2], bytes)
  const scales = graph.constant('f32', [blocks], wave(blocks))
  const session = await sessionOf(
    blockLinear(graph.input('x', 'f32', ['R', inner]), { codes, scales, bits: 4, blockSize }),
  )
  const x = wave(2 * inner)
  const both = await resultOf(session, { x: new ort.Tensor('float32', x, [2, inner]) })
  const alone = await resultOf(session, { x: new ort.Tensor('float32', x.subarray(0, inner), [1, inner]) })
  await session.release()
  return alone.some((y, n) => y !== both[n])
}

const wave = (length: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * 1.7))

const sessionOf = (y: Value) =>
  ort.InferenceSession.create(encodeModel({ y }).bytes, { intraOpNumThreads: 1, extra: { session: tinyIsZero } })

async function resultOf(session: ort.InferenceSession, feeds: Record<string, ort.Tensor>): Promise<Float32Array> {
  const { y } = await session.run(feeds)
  return (y as ort.Tensor).data as Float32Array
}
