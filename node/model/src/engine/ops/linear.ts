import { onnxTypes } from '../dtypes.ts'
import { GraphError } from '../engineError.ts'
import type { LinearOp } from '../op.ts'
import {
  CONTRIB,
  type Emitter,
  emitAs,
  floatAttribute,
  integerAttribute,
  type OpRow,
  required,
  sameType,
} from '../opRow.ts'
import { broadcastShapes, dimAt } from '../shapes.ts'
import { flattenRows, halfLinear, matMul, sumTo, transpose } from '../tensor.ts'
import type { Dim, GraphNode, Value } from '../value.ts'
import { blockOf, emitInBlocks } from './halfProducts.ts'
import { chain, SMALLEST_ROW } from './integer.ts'
import { opaque } from './rounding.ts'

const flags = (node: Pick<GraphNode, 'attributes'>) => ({
  transA: integerAttribute(node.attributes, 'transA', 0) === 1,
  transB: integerAttribute(node.attributes, 'transB', 0) === 1,
  alpha: floatAttribute(node.attributes, 'alpha', 1),
})

/** The CPU has a fused float32 kernel for transposed and scaled products. */
function emitOnCpu(node: GraphNode, e: Emitter): void {
  const isFused = !isPlain(node) && required(node, 0).dtype === 'f32'
  if (isFused) emitAs('FusedMatMul', CONTRIB)(node, e)
  else emitWritten(node, e)
}

/** GPUs have no FusedMatMul: it would go to the CPU and back. For matrices they have Gemm. */
function emitOnGpu(node: GraphNode, e: Emitter): void {
  const [a, b] = [required(node, 0), required(node, 1)]
  const isMatrix = b.shape.length === 2 && !(flags(node).transA && a.shape.length > 2)
  if (isPlain(node) || !isMatrix || a.dtype === 'f64') emitWritten(node, e)
  else emitGemm(node, e)
}

/** As on a GPU; products of rows in float16 by a matrix are summed in float32, which CUDA's kernels do themselves. */
function emitOnWebGpu(node: GraphNode, e: Emitter): void {
  const [a, b] = [required(node, 0), required(node, 1)]
  const { transA, transB, alpha } = flags(node)
  const [inner, columns] = [dimAt(a.shape, -1), dimAt(b.shape, transB ? -2 : -1)]
  const isRows = a.dtype === 'f16' && a.shape.length === 2 && b.shape.length === 2 && !transA && alpha === 1
  const block = typeof inner === 'number' ? blockOf(inner) : null
  const output = e.name(node.outputs[0] as Value)
  if (isRows && typeof inner === 'number' && typeof columns === 'number' && block !== null)
    emitInBlocks(e, { rows: e.name(a), matrix: e.name(b), transB, output }, [inner, columns, block])
  else emitOnGpu(node, e)
}

/** Rounds scaled rows to float16, and multiplies them there. */
function emitHalfLinear(node: GraphNode, e: Emitter): void {
  const [x, w] = [required(node, 0), required(node, 1)]
  const step = chain(e)
  const largest = step('ReduceMax', [step('Abs', [e.name(x)]), e.integers([1])], { keepdims: 1 })
  const scales = step('Max', [largest, e.scalar(SMALLEST_ROW, 'f32')])
  const toHalf = (from: string) => opaque(e, step('Cast', [from], { to: onnxTypes.f16 }), 2)
  const rows = toHalf(step('Div', [e.name(x), scales]))
  const matrix = w.dtype === 'f16' ? e.name(w) : toHalf(e.name(w))
  const product = step('Gemm', [rows, matrix], { transB: flags(node).transB ? 1 : 0 })
  const wide = step('Cast', [opaque(e, product, 2)], { to: onnxTypes.f32 })
  e.node('Mul', [wide, scales], [e.name(node.outputs[0] as Value)])
}

/** Multiplies by the matrix as float32, since WebGPU's kernels sum in float16 otherwise: only what is stored is float16. */
function emitWideLinear(node: GraphNode, e: Emitter): void {
  const [x, w] = [required(node, 0), required(node, 1)]
  const step = chain(e)
  const matrix = w.dtype === 'f16' ? e.name(w) : step('Cast', [e.name(w)], { to: onnxTypes.f16 })
  const wide = step('Cast', [matrix], { to: onnxTypes.f32 })
  const transB = flags(node).transB ? 1 : 0
  e.node('Gemm', [e.name(x), wide], [e.name(node.outputs[0] as Value)], { transB })
}

function isPlain(node: GraphNode): boolean {
  const { transA, transB, alpha } = flags(node)
  return !transA && !transB && alpha === 1
}

/** Emits nodes that every device has for every type. */
function emitWritten(node: GraphNode, e: Emitter): void {
  const [a, b] = [required(node, 0), required(node, 1)]
  const { transA, transB, alpha } = flags(node)
  const output = e.name(node.outputs[0] as Value)
  const transposed = (value: Value) => {
    const name = e.temporary()
    const axes = value.shape.map((_, i) => i)
    e.node('Transpose', [e.name(value)], [name], { perm: [...axes.slice(0, -2), axes.length - 1, axes.length - 2] })
    return name
  }
  const product = alpha === 1 ? output : e.temporary()
  e.node('MatMul', [transA ? transposed(a) : e.name(a), transB ? transposed(b) : e.name(b)], [product])
  if (alpha !== 1) e.node('Mul', [product, e.scalar(alpha, a.dtype)], [output])
}

/** A product with one matrix b; leading axes of `a` become rows for it, and come back. */
function emitGemm(node: GraphNode, e: Emitter): void {
  const [a, b] = [required(node, 0), required(node, 1)]
  const output = e.name(node.outputs[0] as Value)
  const { transA, transB, alpha } = flags(node)
  const attributes = { transA: transA ? 1 : 0, transB: transB ? 1 : 0, alpha: { float: alpha } }
  if (a.shape.length === 2) {
    e.node('Gemm', [e.name(a), e.name(b)], [output], attributes)
    return
  }
  const [inner, columns] = [dimAt(a.shape, -1), dimAt(b.shape, transB ? -2 : -1)]
  if (typeof inner !== 'number' || typeof columns !== 'number')
    throw new GraphError('Gemm needs a matrix of known size')
  const [rows, product, leading, shape] = [e.temporary(), e.temporary(), e.temporary(), e.temporary()]
  e.node('Reshape', [e.name(a), e.integers([-1, inner])], [rows])
  e.node('Gemm', [rows, e.name(b)], [product], attributes)
  e.node('Shape', [e.name(a)], [leading], { start: 0, end: a.shape.length - 1 })
  e.node('Concat', [leading, e.integers([columns])], [shape], { axis: 0 })
  e.node('Reshape', [product, shape], [output])
}

/** With at least this many columns, a product is bitwise identical for any number of threads up to 16. */
const SAFE_COLUMNS = 1024

/**
 * Whether a gradient of this shape is better computed transposed: with more rows than columns threads share the rows, which changes no
 * bit; few columns shared among them are summed in blocks of another depth.
 */
function isWideAndSmall({ shape }: Value): boolean {
  const [rows, columns] = shape
  return typeof rows === 'number' && typeof columns === 'number' && rows < columns && columns <= SAFE_COLUMNS
}

export const linearRows: Record<LinearOp, OpRow> = {
  // alpha * op(A) op(B), over broadcast leading axes; attributes `transA`, `transB`, `alpha`.
  MatMul: {
    infer: application => {
      const [a, b] = [required(application, 0), required(application, 1)]
      const { transA, transB } = flags(application)
      if (a.shape.length < 2 || b.shape.length < 2) throw new GraphError('MatMul needs matrices')
      const [rows, inner] = transA ? [dimAt(a.shape, -1), dimAt(a.shape, -2)] : [dimAt(a.shape, -2), dimAt(a.shape, -1)]
      const [innerB, columns] = transB
        ? [dimAt(b.shape, -1), dimAt(b.shape, -2)]
        : [dimAt(b.shape, -2), dimAt(b.shape, -1)]
      if (inner !== innerB) throw new GraphError(`MatMul: [${a.shape}] and [${b.shape}] do not multiply`)
      const batch = broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2))
      return [{ dtype: sameType('MatMul', a, b), shape: [...batch, rows, columns] }]
    },
    emit: { cpu: emitOnCpu, webgpu: emitOnWebGpu, cuda: emitOnGpu },
    gradient: (node, [gradient]) => {
      const dy = gradient as Value
      const [a, b] = [required(node, 0), required(node, 1)]
      const { transA, transB, alpha } = flags(node)
      const da = transA
        ? matMul(b, dy, { transA: transB, transB: true, alpha })
        : matMul(dy, b, { transB: !transB, alpha })
      // A weight matrix shared by all rows: one tall product instead of a batch of them and a sum.
      const shared = b.shape.length === 2 && !transA
      const [x, g] = shared ? [flattenRows(a), flattenRows(dy)] : [a, dy]
      const [left, right] = transB ? [g, x] : [x, g]
      const db =
        shared && isWideAndSmall(b)
          ? transpose(matMul(right, left, { transA: true, alpha }), [1, 0])
          : matMul(left, right, { transA: transB || !transA, transB: transB && transA, alpha })
      return [sumTo(da, a.shape), sumTo(db, b.shape)]
    },
  },
  /**
   * Rows x f32 [R, K] by a matrix [K, N] in float16, or [N, K] with `transB`: each row is scaled to its largest number and rounded, so that gradients do not vanish and large activations do not become infinite;
   * the result is f32. A matrix that is fed in float32 is rounded in the graph. On WebGPU rows stay float32, and the matrix is widened for each product.
   */
  HalfLinear: {
    infer: application => {
      const [x, w] = [required(application, 0), required(application, 1)]
      const [inner, columns] = flags(application).transB ? [w.shape[1], w.shape[0]] : [w.shape[0], w.shape[1]]
      if (x.shape.length !== 2 || w.shape.length !== 2 || x.shape[1] !== inner)
        throw new GraphError(`HalfLinear: [${x.shape}] by [${w.shape}]`)
      return [{ dtype: 'f32', shape: [x.shape[0] as Dim, columns as Dim] }]
    },
    emit: { cpu: emitHalfLinear, webgpu: emitWideLinear, cuda: emitHalfLinear },
    gradient: {
      straightThrough: (node, [dy]) => {
        const transB = flags(node).transB
        return [halfLinear(dy as Value, required(node, 1), !transB), null]
      },
    },
  },
}
