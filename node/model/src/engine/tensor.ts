import { onnxTypes } from './dtypes.ts'
import { GraphError } from './engineError.ts'
import type { Op } from './op.ts'
import { dimAt, positiveAxis, productDim, sameShape } from './shapes.ts'
import type { Attributes, Dim, DType, Shape, Value } from './value.ts'

// The verbs in which models and gradient rules are written: one function an op, plus a few compositions.

const unary = (op: Op) => (x: Value) => x.graph.apply1(op, [x])
const binary = (op: Op) => (a: Value, b: Value) => a.graph.apply1(op, [a, b])

export const add = binary('Add')
export const sub = binary('Sub')
export const mul = binary('Mul')
export const div = binary('Div')
export const min = binary('Min')
export const max = binary('Max')
export const less = binary('Less')
export const lessOrEqual = binary('LessOrEqual')
export const greater = binary('Greater')
export const greaterOrEqual = binary('GreaterOrEqual')
export const equal = binary('Equal')
export const and = binary('And')
export const or = binary('Or')
export const not = unary('Not')
export const neg = unary('Neg')
export const exp = unary('Exp')
export const log = unary('Log')
export const sqrt = unary('Sqrt')
export const reciprocal = unary('Reciprocal')
export const sigmoid = unary('Sigmoid')
export const identity = unary('Identity')

/** x * factor. */
export const scale = (x: Value, factor: number) => (factor === 1 ? x : mul(x, x.graph.scalar(factor, x.dtype)))
/** x + term. */
export const addScalar = (x: Value, term: number) => add(x, x.graph.scalar(term, x.dtype))
/** from - x. */
export const subFrom = (from: number, x: Value) => sub(x.graph.scalar(from, x.dtype), x)
/** x within [low, high]. */
export const clip = (x: Value, low: number, high: number) =>
  x.graph.apply1('Clip', [x, x.graph.scalar(low, x.dtype), x.graph.scalar(high, x.dtype)])
/** a where the condition holds, else b. */
export const where = (condition: Value, a: Value, b: Value) => a.graph.apply1('Where', [condition, a, b])
/** x in another type. */
export const cast = (x: Value, to: DType) => (x.dtype === to ? x : x.graph.apply1('Cast', [x], { to: onnxTypes[to] }))

// ---- reductions

function reduce(op: Op, x: Value, axes: readonly number[], keep: boolean): Value {
  const positive = axes.map(a => positiveAxis(a, x.shape.length)).sort((a, b) => a - b)
  return x.graph.apply1(op, [x], { axes: positive, keepdims: keep ? 1 : 0 })
}

/** Sum over axes, all of them by default. */
export const sumOver = (x: Value, axes: readonly number[] = x.shape.map((_, i) => i), keep = false) =>
  reduce('ReduceSum', x, axes, keep)
/** Mean over one axis, kept as 1. */
export const meanOver = (x: Value, axis: number) => reduce('ReduceMean', x, [axis], true)
/** Maximum over one axis. */
export const maxOver = (x: Value, axis: number, keep = false) => reduce('ReduceMax', x, [axis], keep)
/** log(sum(exp(x))) over one axis. */
export const logSumExp = (x: Value, axis: number, keep = false) => reduce('ReduceLogSumExp', x, [axis], keep)
/** Softmax over the last axis. */
export const softmax = (x: Value) => x.graph.apply1('Softmax', [x], { axis: -1 })
/** Log-softmax over the last axis. */
export const logSoftmax = (x: Value) => x.graph.apply1('LogSoftmax', [x], { axis: -1 })
/** Index of the first maximum, i64. */
export const argMax = (x: Value, axis: number, keep = false) =>
  x.graph.apply1('ArgMax', [x], { axis, keepdims: keep ? 1 : 0 })
/** Running sum; exclusive leaves an element itself out. */
export const cumSum = (x: Value, axis: number, options: { exclusive?: boolean; reverse?: boolean } = {}) =>
  x.graph.apply1('CumSum', [x, x.graph.scalar(axis, 'i64')], {
    exclusive: options.exclusive ? 1 : 0,
    reverse: options.reverse ? 1 : 0,
  })

/** The sum of x over the axes along which `shape` was broadcast to it. */
export function sumTo(x: Value, shape: Shape): Value {
  if (sameShape(x.shape, shape)) return x
  const leading = x.shape.length - shape.length
  const reduced = leading
    ? sumOver(
        x,
        Array.from({ length: leading }, (_, i) => i),
      )
    : x
  const axes = shape.flatMap((d, i) => (d === 1 && reduced.shape[i] !== 1 ? [i] : []))
  return axes.length ? sumOver(reduced, axes, true) : reduced
}

// ---- shapes

/** The same elements, in order, in another shape. */
export function reshape(x: Value, shape: Shape): Value {
  if (sameShape(x.shape, shape)) return x
  // 0 copies the length at the same axis, -1 is what remains; anything else is read off the inputs at run time.
  const parts = shape.map((d, i) => (typeof d === 'number' ? d : x.shape[i] === d ? 0 : -1))
  const simple = parts.filter(p => p === -1).length <= 1
  return x.graph.apply1('Reshape', [x, simple ? x.graph.integers(parts) : shapeValue(x, shape)], {}, shape)
}

/** A shape as an i64 tensor. */
function shapeValue(like: Value, shape: Shape): Value {
  if (shape.every(d => typeof d === 'number')) return like.graph.integers(shape as readonly number[])
  return concat(
    shape.map(d => like.graph.length(d)),
    0,
  )
}

/** [..., C] as [rows, C]. */
export const flattenRows = (x: Value) =>
  x.shape.length === 2 ? x : reshape(x, [productDim(x.shape.slice(0, -1)), dimAt(x.shape, -1)])
export const transpose = (x: Value, perm: readonly number[]) => x.graph.apply1('Transpose', [x], { perm })
/** x broadcast to a shape. */
export const expand = (x: Value, shape: Shape) => x.graph.apply1('Expand', [x, shapeValue(x, shape)], {}, shape)
/** x broadcast to another value's shape. */
export const expandLike = (x: Value, like: Value) =>
  sameShape(x.shape, like.shape) ? x : x.graph.apply1('Expand', [x, x.graph.apply1('Shape', [like])], {}, like.shape)
export const zerosLike = (like: Value) => expandLike(like.graph.scalar(0, like.dtype), like)
/** Joins along an axis; `along` names the sum of symbolic lengths. */
export const concat = (xs: readonly Value[], axis: number, along?: Dim) => {
  const [first] = xs
  if (!first) throw new GraphError('Concat needs an input')
  const positive = positiveAxis(axis, first.shape.length)
  const declared = along === undefined ? undefined : first.shape.map((d, i) => (i === positive ? along : d))
  return first.graph.apply1('Concat', xs, { axis: positive }, declared)
}
/** Parts of the given lengths along an axis. */
export const split = (x: Value, axis: number, lengths: Shape) =>
  x.graph.apply('Split', [x, shapeValue(x, lengths)], { axis: positiveAxis(axis, x.shape.length) }, lengths)
/** Elements start (inclusive) to end (exclusive, may count from the back) along an axis of known length. */
export function slice(x: Value, axis: number, start: number, end: number): Value {
  const positive = positiveAxis(axis, x.shape.length)
  const length = x.shape[positive]
  if (typeof length !== 'number') throw new GraphError(`slice along the symbolic axis ${length}`)
  const at = (i: number) => (i < 0 ? i + length : Math.min(i, length))
  const shape = x.shape.map((d, i) => (i === positive ? at(end) - at(start) : d))
  const g = x.graph
  return g.apply1('Slice', [x, g.integers([at(start)]), g.integers([at(end)]), g.integers([positive])], {}, shape)
}
/** Zeros before and after along an axis. */
export function pad(x: Value, axis: number, before: number, after: number): Value {
  const rank = x.shape.length
  const positive = positiveAxis(axis, rank)
  const pads = Array.from({ length: 2 * rank }, (_, i) => (i === positive ? before : i === positive + rank ? after : 0))
  const shape = x.shape.map((d, i) => (i === positive ? (d as number) + before + after : d))
  return x.graph.apply1('Pad', [x, x.graph.integers(pads)], {}, shape)
}
/** A new axis of length 1. */
export function unsqueeze(x: Value, axis: number): Value {
  const positive = positiveAxis(axis, x.shape.length + 1)
  const shape = [...x.shape.slice(0, positive), 1, ...x.shape.slice(positive)]
  return x.graph.apply1('Unsqueeze', [x, x.graph.integers([positive])], {}, shape)
}
/** Removes an axis of length 1. */
export function squeeze(x: Value, axis: number): Value {
  const positive = positiveAxis(axis, x.shape.length)
  const shape = x.shape.filter((_, i) => i !== positive)
  return x.graph.apply1('Squeeze', [x, x.graph.integers([positive])], {}, shape)
}
/** 0, 1, … up to the length of a dimension, as real numbers: GPUs compute with no i64. */
export const range = (like: Value, dim: Dim) => {
  const g = like.graph
  return g.apply1('Range', [g.scalar(0), cast(squeeze(g.length(dim), 0), g.real), g.scalar(1)], {}, [dim])
}

// ---- products and indexing

/** alpha * op(a) op(b) over the last two axes, leading axes broadcast. */
export function matMul(a: Value, b: Value, o: { transA?: boolean; transB?: boolean; alpha?: number } = {}): Value {
  const attributes: Attributes = { transA: o.transA ? 1 : 0, transB: o.transB ? 1 : 0, alpha: { float: o.alpha ?? 1 } }
  return a.graph.apply1('MatMul', [a, b], attributes)
}
/** x W^T + b, with W as Hugging Face keeps it: [out, in]. */
export function linear(x: Value, weight: Value, bias?: Value): Value {
  const y = matMul(x, weight, { transB: true })
  return bias ? add(y, bias) : y
}
export const gather = (table: Value, ids: Value, axis: number) => table.graph.apply1('Gather', [table, ids], { axis })
export const gatherElements = (x: Value, ids: Value, axis: number) =>
  x.graph.apply1('GatherElements', [x, ids], { axis })
export const gatherND = (x: Value, ids: Value, batchDims = 0) =>
  x.graph.apply1('GatherND', [x, ids], { batch_dims: batchDims })
/** x with updates added at the indexed elements along an axis. */
export const scatterAdd = (x: Value, ids: Value, updates: Value, axis: number) =>
  x.graph.apply1('ScatterElements', [x, ids, updates], { axis, reduction: 'add' })
/** Zeros in the shape of `table` [n, C] with a row of `updates` [..., C] added at each id. */
export function scatterRows(table: Value, ids: Value, updates: Value): Value {
  const rows = flattenRows(updates)
  return table.graph.apply1('ScatterRows', [table, reshape(ids, [...rows.shape.slice(0, 1), 1]), rows])
}
/** The k largest along the last axis: values and indices. */
export const topK = (x: Value, k: number) =>
  x.graph.apply('TopK', [x, x.graph.integers([k])], { axis: -1, largest: 1, sorted: 1 }) as readonly [Value, Value]
/** Log-probability [M] of each row's token under the softmax of alpha x W^T: x [M, C], weight [V, C], tokens [M]. */
export const tokenLogProb = (x: Value, weight: Value, tokens: Value, alpha = 1) =>
  x.graph.apply1('TokenLogProb', [x, weight, tokens], { alpha: { float: alpha } })
/**
 * `tokenLogProb` over a frozen output layer, some tokens of the vocabulary at a time.
 *
 * @param parts - the layer's rows [n, C] in the order of the tokens.
 * @param weight - all of them [V, C]; left out where no gradient is asked for.
 */
export const partedTokenLogProb = (x: Value, parts: readonly Value[], tokens: Value, alpha = 1, weight?: Value) =>
  x.graph.apply1('PartedTokenLogProb', [x, tokens, weight ?? null, ...parts], { alpha: { float: alpha } })

// ---- decoder blocks

export const rmsNorm = (x: Value, weight: Value, epsilon: number) =>
  x.graph.apply1('RmsNorm', [x, weight], { epsilon: { float: epsilon } })
/** x + y, and its `rmsNorm`, of matrices [R, C]; without a gradient. */
export function addRmsNorm(x: Value, y: Value, weight: Value, epsilon: number): { sum: Value; normal: Value } {
  const [normal, sum] = x.graph.apply('AddRmsNorm', [x, y, weight], { epsilon: { float: epsilon } }) as [Value, Value]
  return { sum, normal }
}
export const rope = (x: Value, cos: Value, sin: Value) => x.graph.apply1('Rope', [x, cos, sin])
export const siluMul = (gate: Value, up: Value) => gate.graph.apply1('SiluMul', [gate, up])

// ---- products with frozen weights of few bits

/**
 * x W with 8-bit integers: x [R, K], weights i8 [K, N], or [N, K] with `transB`, scales [N] of the outputs. `fused` changes the speed
 * and no bit.
 */
export const integerLinear = (x: Value, weights: Value, scales: Value, fused: boolean, transB = false) =>
  x.graph.apply1('IntegerLinear', [x, weights, scales], { fused: fused ? 1 : 0, ...(transB ? { transB: 1 } : {}) })

/** An output layer in 8-bit integers, by parts of its tokens. The rows are for gradients alone. */
export interface IntegerOutputLayer {
  /** i8 [V, C] and scales [V]. */
  readonly rows: Value | null
  readonly scales: Value | null
  /** In the order of the tokens: i8 [C, n] and scales [n], the same codes as i8 [n, C] and their rounded mean i8 [C]. */
  readonly parts: readonly { columns: Value; scales: Value; rows: Value | null; middle: Value | null }[]
}

/** `tokenLogProb` over an output layer in 8-bit integers. */
export function integerTokenLogProb(x: Value, layer: IntegerOutputLayer, tokens: Value, alpha = 1): Value {
  const parts = layer.parts.flatMap(({ columns, scales, rows, middle }) => [columns, scales, rows, middle])
  const inputs = [x, tokens, layer.rows, layer.scales, ...parts]
  return x.graph.apply1('IntegerTokenLogProb', inputs, { alpha: { float: alpha } })
}

/** x W^T with each row of x and the matrix [out, in] in float16, or x W with one of [in, out]. */
export const halfLinear = (x: Value, weights: Value, transB = true) =>
  x.graph.apply1('HalfLinear', [x, weights], { transB: transB ? 1 : 0 })

/** Weights of few bits: codes u8 [N, blocks, bytes a block], where the `blockSize` columns of a block share a scale f32 [N * blocks]. */
interface BlockWeights {
  readonly codes: Value
  readonly scales: Value
  readonly bits: number
  readonly blockSize: number
}

/** x W^T + bias with weights of few bits. */
export const blockLinear = (x: Value, { codes, scales, bits, blockSize }: BlockWeights, bias: Value | null = null) =>
  x.graph.apply1('BlockLinear', [x, codes, scales, bias], {
    K: dimAt(x.shape, -1) as number,
    N: codes.shape[0] as number,
    bits,
    block_size: blockSize,
    accuracy_level: 4, // activations in 8-bit blocks too
  })
