import { GraphError } from '../engineError.ts'
import { type Emitter, floatAttribute, type OpRow, required, sameType } from '../opRow.ts'
import { sameShape } from '../shapes.ts'
import { gather, mul, reshape, scale, sub } from '../tensor.ts'
import type { Value } from '../value.ts'
import { chain } from './integer.ts'
import { emitEnd, emitJoin, emitOwn, type Running } from './onlineSoftmax.ts'

interface Part {
  readonly first: number
  readonly weight: Value
}

const partsOf = (inputs: readonly (Value | null)[]): Part[] => {
  let first = 0
  return (inputs.slice(3) as Value[]).map(weight => {
    const part = { first, weight }
    first += weight.shape[0] as number
    return part
  })
}

/**
 * Emits the pass over one part: its probabilities by the runtime's softmax, whose sum of exponentials is one over the largest of them.
 *
 * Each result waits for the whole part, by adding zero: the runtime evaluates results depth first, and would compute and hold the
 * logits of every part for one result before it starts the next.
 *
 * @param hasRows - whether rows are weighted, for a gradient.
 */
function emitPart(
  e: Emitter,
  { first, weight }: Part,
  x: Value,
  ids: string,
  alpha: number,
  hasRows: boolean,
): Running {
  const step = chain(e)
  const { dtype } = x
  const matrix = e.name(weight)
  const logits = step('Gemm', [e.name(x), matrix], { transB: 1, alpha: { float: alpha } })
  const largest = step('ReduceMax', [logits, e.integers([1])], { keepdims: 1 })
  const { own } = emitOwn(e, logits, ids, { first, length: weight.shape[0] as number, dtype })
  const shares = step('Softmax', [logits], { axis: -1 })
  const sum = step('Reciprocal', [step('ReduceMax', [shares, e.integers([1])], { keepdims: 1 })])
  const rows = hasRows ? step('Mul', [step('MatMul', [shares, matrix]), sum]) : null
  const known = step('Add', [step('Add', [largest, own]), sum])
  const all = rows ? step('Add', [known, step('Gather', [rows, e.integers([0])], { axis: 1 })]) : known
  const nothing = step('Mul', [all, e.scalar(0, dtype)])
  const after = (name: string) => step('Add', [name, nothing])
  return { top: after(largest), sum: after(sum), own: after(own), rows }
}

/**
 * `TokenLogProb` in one pass over parts of the vocabulary, whose arrays of [M, n] are used again by the next part: no array of [M, V] exists.
 * Inputs x [M, C], tokens i64 [M], the layer [V, C] for the gradient alone, then its rows in parts [n, C]; attribute `alpha`.
 *
 * The second output [M, C], for the gradient, is the mean of the layer's rows by their probabilities. The layer is frozen: its own gradient
 * takes all probabilities, which are gone.
 *
 * @see the sums of softmaxes in parts: Milakov and Gimelshein, arXiv:1805.02867 section 3.
 */
export const partedTokenLogProb: OpRow = {
  infer: application => {
    const [x, tokens] = [required(application, 0), required(application, 1)]
    const parts = partsOf(application.inputs)
    for (const { weight } of parts)
      if (x.shape.length !== 2 || weight.shape.length !== 2 || !sameShape(x.shape.slice(1), weight.shape.slice(1)))
        throw new GraphError(`PartedTokenLogProb: [${x.shape}] by [${weight.shape}]`)
    const dtype = sameType('PartedTokenLogProb', x, ...parts.map(({ weight }) => weight))
    return [
      { dtype, shape: tokens.shape },
      { dtype, shape: x.shape },
    ]
  },
  emit: (node, e) => {
    const [x, tokens] = [required(node, 0), required(node, 1)]
    const ids = chain(e)('Unsqueeze', [e.name(tokens), e.integers([-1])])
    const alpha = floatAttribute(node.attributes, 'alpha', 1)
    const hasRows = Boolean(node.inputs[2])
    const all = partsOf(node.inputs)
      .map(part => emitPart(e, part, x, ids, alpha, hasRows))
      .reduce((a, b) => emitJoin(e, a, b))
    emitEnd(e, all, node.outputs.map(output => e.name(output)) as [string, string])
  },
  // alpha dy (w_t - sum of p_v w_v)
  gradient: (node, [dy, drows]) => {
    if (drows || !dy) throw new GraphError('PartedTokenLogProb has a gradient through its first output only')
    const [tokens, weight] = [required(node, 1), required(node, 2)]
    const column = scale(reshape(dy, [...tokens.shape, 1]), floatAttribute(node.attributes, 'alpha', 1))
    const dx = mul(column, sub(gather(weight, tokens, 0), node.outputs[1] as Value))
    return [dx, ...node.inputs.slice(1).map(() => null)]
  },
}
