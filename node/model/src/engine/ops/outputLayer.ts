import { GraphError } from '../engineError.ts'
import type { OutputLayerOp } from '../op.ts'
import { CONTRIB, type Emission, type Emitter, floatAttribute, type OpRow, required } from '../opRow.ts'
import { dimAt } from '../shapes.ts'
import { cast, exp, gather, mul, reshape, scale, sub, subFrom } from '../tensor.ts'
import type { GraphNode, Value } from '../value.ts'
import { chain, quantizeRows, rightFactor, roundRows, SMALLEST_ROW, zeroOf } from './integer.ts'
import { emitEnd, emitJoin, emitOwn, type Running } from './onlineSoftmax.ts'
import { partedTokenLogProb } from './partedTokenLogProb.ts'

/**
 * Steps between 0 and a row's largest number in a product whose sums fit 32 bits: codes between -127 and 127 with their rounded mean
 * taken off have positive parts of 64 on average at most.
 */
const levelsFor = (inner: number) => Math.min(255, Math.floor((2 ** 31 - 1) / (64 * inner)))

interface Part {
  readonly first: number
  readonly length: number
  readonly columns: Value
  readonly scales: Value
  readonly rows: Value | null
  readonly middle: Value | null
}

function partsOf({ inputs }: Pick<GraphNode, 'inputs'>): Part[] {
  const parts: Part[] = []
  let first = 0
  for (let i = 4; i < inputs.length; i += 4) {
    const [columns, scales, rows, middle] = inputs.slice(i, i + 4) as [Value, Value, Value | null, Value | null]
    const length = columns.shape[1] as number
    parts.push({ first, length, columns, scales, rows, middle })
    first += length
  }
  return parts
}

/** The products of a pass over the layer; their kernels differ by device. */
interface LayerProducts {
  /** Rows of x rounded to 8 bits, and their scales [M, 1]. */
  round(e: Emitter, x: string): { codes: string; scales: string }
  /** Rounded rows by a part's columns, without the rows' scales. @param one - the number 1, once the part may begin. */
  logits(e: Emitter, part: Part, codes: string, one: string): string
  /** Rows of a part summed by weights [M, n]. */
  sumRows(e: Emitter, part: Part & { readonly rows: Value; readonly middle: Value }, weights: string): string
}

const integerProducts: LayerProducts = {
  round(e, x) {
    const { bytes, scales } = quantizeRows(x, e)
    return { codes: bytes, scales }
  },
  logits(e, part, codes, one) {
    const columns = rightFactor(e, e.name(part.columns))
    const operands = [codes, columns.codes, one, e.name(part.scales), e.scalar(128, 'u8'), ...columns.zero]
    return chain(e)('MatMulIntegerToFloat', operands, {}, CONTRIB)
  },
  sumRows(e, part, weights) {
    const step = chain(e)
    const total = step('ReduceSum', [weights, e.integers([1])], { keepdims: 1 })
    const largest = step('ReduceMax', [weights, e.integers([1])], { keepdims: 1 })
    const atLeast = step('Max', [largest, e.scalar(SMALLEST_ROW, 'f32')])
    const size = step('Mul', [atLeast, e.scalar(1 / levelsFor(part.length), 'f32')])
    const codes = step('QuantizeLinear', [step('Div', [weights, size]), e.scalar(1, 'f32'), e.scalar(0, 'u8')])
    const middle = e.name(part.middle)
    const rows = rightFactor(e, e.name(part.rows), middle)
    const unit = e.scalar(1, 'f32')
    const operands = [codes, rows.codes, unit, unit, e.scalar(0, 'u8'), ...rows.zero]
    const product = step('MatMulIntegerToFloat', operands, {}, CONTRIB)
    const ofMean = step('Mul', [total, step('Cast', [middle], { to: 1 })])
    return step('Add', [step('Mul', [product, size]), ofMean])
  },
}

/** For devices without products of bytes: the same codes as float32, and weights that are not rounded. */
const floatProducts: LayerProducts = {
  round: (e, x) => roundRows(x, e),
  logits(e, part, codes, one) {
    const step = chain(e)
    const scales = step('Mul', [e.name(part.scales), one])
    const columns = [e.name(part.columns), scales, ...zeroOf(part.columns, 1, e)]
    return step('MatMul', [codes, step('DequantizeLinear', columns, { axis: 1 })])
  },
  sumRows(e, part, weights) {
    const step = chain(e)
    const zero = part.rows.dtype === 'u8' ? [e.scalar(128, 'u8')] : []
    return step('MatMul', [weights, step('DequantizeLinear', [e.name(part.rows), e.scalar(1, 'f32'), ...zero])])
  },
}

/**
 * Emits the pass over one part. `ids` are the tokens [M, 1], `codes` the rounded rows of x and `rowScales` [M, 1] their scales.
 *
 * @param one - the number 1, once the part may begin.
 */
function emitPart(
  e: Emitter,
  products: LayerProducts,
  part: Part,
  x: { codes: string; rowScales: string; ids: string },
  one: string,
): Running {
  const step = chain(e)
  const { first, length } = part
  const scales = e.name(part.scales)
  const logits = step('Mul', [products.logits(e, part, x.codes, one), x.rowScales])
  const top = step('ReduceMax', [logits, e.integers([1])], { keepdims: 1 })
  const shares = step('Exp', [step('Sub', [logits, top])])
  const sum = step('ReduceSum', [shares, e.integers([1])], { keepdims: 1 })
  const { at, isHere, own } = emitOwn(e, logits, x.ids, { first, length, dtype: 'f32' })
  if (!part.rows || !part.middle) return { top, sum, own, rows: null }
  const kept = step('Where', [isHere, e.scalar(0, 'f32'), step('GatherElements', [shares, at], { axis: 1 })])
  const weights = step('Mul', [step('ScatterElements', [shares, at, kept], { axis: 1 }), scales])
  return { top, sum, own, rows: products.sumRows(e, { ...part, rows: part.rows, middle: part.middle }, weights) }
}

/**
 * Emits the number 1 that waits for all before a part: the runtime would compute the logits of all parts first, and hold them, since the
 * log-probability does not need the rows. It gives 1 even if the value that it waits for is NaN.
 */
function emitAfter(e: Emitter, { sum, own, rows }: Running): string {
  const step = chain(e)
  const scores = step('Add', [own, sum])
  const done = rows ? step('Add', [scores, step('Gather', [rows, e.integers([0])], { axis: 1 })]) : scores
  const first = step('Squeeze', [step('Gather', [done, e.integers([0])], { axis: 0 })])
  // This is 1, also for NaN.
  const either = step('Cast', [step('Greater', [first, e.scalar(0, 'f32')])], { to: 1 })
  const nothing = step('Mul', [either, e.scalar(0, 'f32')])
  return step('Add', [nothing, e.scalar(1, 'f32')])
}

function emitWith(products: LayerProducts): Emission {
  return (node, e) => {
    const step = chain(e)
    const { codes, scales } = products.round(e, e.name(required(node, 0)))
    const rowScales = step('Mul', [scales, e.scalar(floatAttribute(node.attributes, 'alpha', 1), 'f32')])
    const ids = step('Unsqueeze', [e.name(required(node, 1)), e.integers([-1])])
    let all: Running | undefined
    let one = e.scalar(1, 'f32')
    for (const part of partsOf(node)) {
      const next = emitPart(e, products, part, { codes, rowScales, ids }, one)
      all = all ? emitJoin(e, all, next) : next
      one = emitAfter(e, all)
    }
    emitEnd(e, all as Running, node.outputs.map(output => e.name(output)) as [string, string])
  }
}

export const outputLayerRows: Record<OutputLayerOp, OpRow> = {
  PartedTokenLogProb: partedTokenLogProb,
  /**
   * `TokenLogProb` over an output layer in 8-bit integers, in one pass over parts of the vocabulary: no array of [M, V] exists.
   * Inputs x f32 [M, C], tokens i64 [M], the layer by rows i8 [V, C] and their scales [V], both for the gradient alone, then for each part
   * its weights i8 [C, n], or on devices without products of bytes u8 and larger by 128, their scales [n], and again for the gradient its rows i8 [n, C] and their rounded mean i8 [C]; attribute `alpha`.
   *
   * The second output [M, C], for the gradient, are the rows of the layer summed by the probabilities of all tokens but the row's own.
   * The probabilities are rounded to steps of a part's largest: without the row's token, usually the likeliest, they are similar enough for that.
   * Rows whose probability is too small for a step count as the part's mean row.
   *
   * @see the sums of softmaxes in parts: Milakov and Gimelshein, arXiv:1805.02867 section 3.
   */
  IntegerTokenLogProb: {
    hasTraits: true,
    infer: application => {
      const [x, tokens] = [required(application, 0), required(application, 1)]
      for (const { columns } of partsOf(application))
        if (!/^[iu]8$/.test(columns.dtype) || columns.shape[0] !== dimAt(x.shape, -1))
          throw new GraphError(`IntegerTokenLogProb: [${x.shape}] by ${columns.dtype} [${columns.shape}]`)
      return [
        { dtype: x.dtype, shape: tokens.shape },
        { dtype: x.dtype, shape: x.shape },
      ]
    },
    emit: { cpu: emitWith(integerProducts), webgpu: emitWith(floatProducts), cuda: emitWith(floatProducts) },
    // alpha dy (w_t - sum of p_v w_v): the token's own share of the sum is subtracted from its row.
    gradient: {
      straightThrough: (node, [dy, dothers]) => {
        if (dothers || !dy) throw new GraphError('IntegerTokenLogProb has a gradient through its first output only')
        const tokens = required(node, 1)
        const [logprob, others] = node.outputs as readonly [Value, Value]
        const column = (x: Value) => reshape(x, [...tokens.shape, 1])
        const [rows, scales] = [required(node, 2), required(node, 3)]
        const row = mul(cast(gather(rows, tokens, 0), 'f32'), column(gather(scales, tokens, 0)))
        const own = mul(row, subFrom(1, column(exp(logprob))))
        const dx = mul(column(scale(dy, floatAttribute(node.attributes, 'alpha', 1))), sub(own, others))
        return [dx, ...node.inputs.slice(1).map(() => null)]
      },
    },
  },
}
