import { GraphError } from '../engineError.ts'
import type { IndexingOp } from '../op.ts'
import { type Emitter, emitAs, floatAttribute, integerAttribute, type OpRow, required, sameType } from '../opRow.ts'
import { positiveAxis, sameShape } from '../shapes.ts'
import {
  exp,
  gather,
  gatherElements,
  matMul,
  mul,
  reshape,
  scale,
  scatterAdd,
  scatterRows,
  sub,
  zerosLike,
} from '../tensor.ts'
import type { GraphNode, Value } from '../value.ts'
import { chain } from './integer.ts'
import { emitLogSoftmax } from './logSoftmax.ts'

const likeFirst: OpRow['infer'] = application => {
  const x = required(application, 0)
  return [{ dtype: x.dtype, shape: x.shape }]
}

/** By ScatterElements, whose sums have one order: the CPU's ScatterND adds in several threads at once and loses some. */
function emitElements(node: GraphNode, e: Emitter): void {
  const [table, ids, updates] = [0, 1, 2].map(i => e.name(required(node, i))) as [string, string, string]
  const step = chain(e)
  const zeros = step('Expand', [e.scalar(0, required(node, 2).dtype), step('Shape', [table])])
  const elements = step('Expand', [ids, step('Shape', [updates])])
  const output = e.name(node.outputs[0] as Value)
  e.node('ScatterElements', [zeros, elements, updates], [output], { axis: 0, reduction: 'add' })
}

/** By ScatterND, which takes an id a row and not one an element, and adds atomically: rows of one id in any order. */
function emitSlices(node: GraphNode, e: Emitter): void {
  const [table, ids, updates] = [0, 1, 2].map(i => e.name(required(node, i))) as [string, string, string]
  const step = chain(e)
  const zeros = step('Expand', [e.scalar(0, required(node, 2).dtype), step('Shape', [table])])
  e.node('ScatterND', [zeros, ids, updates], [e.name(node.outputs[0] as Value)], { reduction: 'add' })
}

export const indexingRows: Record<IndexingOp, OpRow> = {
  // Inputs table, indices (i64); attribute `axis`.
  Gather: {
    infer: application => {
      const [table, ids] = [required(application, 0), required(application, 1)]
      const axis = positiveAxis(integerAttribute(application.attributes, 'axis', 0), table.shape.length)
      return [
        { dtype: table.dtype, shape: [...table.shape.slice(0, axis), ...ids.shape, ...table.shape.slice(axis + 1)] },
      ]
    },
    gradient: (node, [dy]) => {
      const [table, ids] = [required(node, 0), required(node, 1)]
      if (integerAttribute(node.attributes, 'axis', 0) !== 0)
        throw new GraphError('Gather has a gradient along axis 0 only')
      return [scatterRows(table, ids, dy as Value), null]
    },
  },
  // Inputs x, indices (i64); attribute `axis`.
  GatherElements: {
    infer: application => [{ dtype: required(application, 0).dtype, shape: required(application, 1).shape }],
    gradient: (node, [dy]) => {
      const [x, ids] = [required(node, 0), required(node, 1)]
      return [scatterAdd(zerosLike(x), ids, dy as Value, integerAttribute(node.attributes, 'axis', 0)), null]
    },
  },
  // Inputs x, indices [batch..., n]; attribute `batch_dims`.
  GatherND: {
    infer: application => {
      const [x, ids] = [required(application, 0), required(application, 1)]
      const batch = integerAttribute(application.attributes, 'batch_dims', 0)
      const depth = ids.shape.at(-1)
      if (typeof depth !== 'number') throw new GraphError('GatherND needs indices whose last axis is known')
      return [{ dtype: x.dtype, shape: [...ids.shape.slice(0, -1), ...x.shape.slice(batch + depth)] }]
    },
    gradient: 'forwardOnly',
  },
  // Inputs x, indices, updates; attributes `axis`, `reduction` ('add').
  ScatterElements: {
    infer: likeFirst,
    gradient: (node, [dy]) => {
      const ids = required(node, 1)
      return [dy as Value, null, gatherElements(dy as Value, ids, integerAttribute(node.attributes, 'axis', 0))]
    },
  },
  /** Zeros like `table` [n, C] with rows of updates [N, C] added at ids i64 [N, 1]. Inputs table, of which only the shape is read, ids, updates. */
  ScatterRows: {
    infer: likeFirst,
    emit: { cpu: emitElements, cuda: emitElements, webgpu: emitSlices },
    gradient: (node, [dy]) => {
      const [ids, updates] = [required(node, 1), required(node, 2)]
      return [null, null, gather(dy as Value, reshape(ids, updates.shape.slice(0, 1)), 0)]
    },
  },
  /**
   * `table` [n, ...] with some rows replaced: inputs table, ids i64 [N, 1], which differ, rows [N, ...]. Where the output is written into the table itself, the
   * others are not copied.
   */
  PutRows: {
    infer: likeFirst,
    emit: emitAs('ScatterND'),
    gradient: 'forwardOnly',
  },
  // Inputs x, k (i64 constant [1]); outputs values, indices; attributes `axis`, `largest`, `sorted`.
  TopK: {
    infer: application => {
      const x = required(application, 0)
      const k = Number((required(application, 1).data as BigInt64Array)[0])
      const axis = positiveAxis(integerAttribute(application.attributes, 'axis', -1), x.shape.length)
      const shape = x.shape.map((d, i) => (i === axis ? k : d))
      return [
        { dtype: x.dtype, shape },
        { dtype: 'i64', shape },
      ]
    },
    gradient: (node, [dy]) => {
      const x = required(node, 0)
      const axis = integerAttribute(node.attributes, 'axis', -1)
      return [dy ? scatterAdd(zerosLike(x), node.outputs[1] as Value, dy, axis) : null, null]
    },
  },
  /**
   * Log-probability of one token a row under the softmax of alpha x W^T: inputs x [M, C], weight [V, C], tokens i64 [M];
   * attribute `alpha`. The second output, all log-probabilities [M, V], is for the gradient.
   *
   * Its own row because of [M, V], the largest array of a training step: the gradient of x is the token's row of W less
   * the mean of all rows by their probabilities, and passes over it once, where those of the parts would pass over it four times.
   */
  TokenLogProb: {
    infer: application => {
      const [x, weight, tokens] = [required(application, 0), required(application, 1), required(application, 2)]
      const dtype = sameType('TokenLogProb', x, weight)
      if (x.shape.length !== 2 || !sameShape(x.shape.slice(1), weight.shape.slice(1)))
        throw new GraphError(`TokenLogProb: [${x.shape}] by [${weight.shape}]`)
      return [
        { dtype, shape: tokens.shape },
        { dtype, shape: [...x.shape.slice(0, 1), ...weight.shape.slice(0, 1)] },
      ]
    },
    emit: (node, e) => {
      const [x, weight, tokens] = [0, 1, 2].map(i => e.name(required(node, i))) as [string, string, string]
      const [logprob, all] = node.outputs.map(v => e.name(v)) as [string, string]
      const [product, ids, picked] = [e.temporary(), e.temporary(), e.temporary()]
      const alpha = floatAttribute(node.attributes, 'alpha', 1)
      e.node('Gemm', [x, weight], [product], { transB: 1 })
      const logits = alpha === 1 ? product : e.temporary()
      if (alpha !== 1) e.node('Mul', [product, e.scalar(alpha, required(node, 0).dtype)], [logits])
      emitLogSoftmax(e, logits, all)
      e.node('Unsqueeze', [tokens, e.integers([-1])], [ids])
      e.node('GatherElements', [all, ids], [picked], { axis: -1 })
      e.node('Squeeze', [picked, e.integers([-1])], [logprob])
    },
    gradient: (node, [dy, dall]) => {
      if (dall || !dy) throw new GraphError('TokenLogProb has a gradient through its first output only')
      const [x, weight, tokens] = [0, 1, 2].map(i => required(node, i)) as [Value, Value, Value]
      const column = scale(reshape(dy, [...tokens.shape, 1]), floatAttribute(node.attributes, 'alpha', 1))
      const probabilities = exp(node.outputs[1] as Value)
      const dx = mul(column, sub(gather(weight, tokens, 0), matMul(probabilities, weight)))
      const rows = mul(column, x)
      return [dx, sub(scatterRows(weight, tokens, rows), matMul(probabilities, rows, { transA: true })), null]
    },
  },
}
