import { GraphError } from '../engineError.ts'
import type { Value } from '../graph.ts'
import type { IndexingOp } from '../op.ts'
import { integerAttribute, type OpRow, required } from '../opRow.ts'
import { positiveAxis } from '../shapes.ts'
import { exp, gatherElements, mul, neg, reshape, scatterAdd, scatterRows, zerosLike } from '../tensor.ts'

const likeFirst: OpRow['infer'] = application => {
  const x = required(application, 0)
  return [{ dtype: x.dtype, shape: x.shape }]
}

const last = (value: Value) => [...value.shape, 1]

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
   * Log-probability of one token a row: logits [..., V], tokens [...] (i64) to [...]; the second output, the
   * log-softmax of all tokens, is for the gradient, which is softmax and one subtraction at each token.
   */
  TokenLogProb: {
    infer: application => {
      const [logits, tokens] = [required(application, 0), required(application, 1)]
      return [
        { dtype: logits.dtype, shape: tokens.shape },
        { dtype: logits.dtype, shape: logits.shape },
      ]
    },
    emit: (node, e) => {
      const [logits, tokens] = [required(node, 0), required(node, 1)]
      const [logprob, all] = node.outputs.map(v => e.name(v)) as [string, string]
      const [ids, picked] = [e.temporary(), e.temporary()]
      e.node('LogSoftmax', [e.name(logits)], [all], { axis: -1 })
      e.node('Unsqueeze', [e.name(tokens), e.integers([-1])], [ids])
      e.node('GatherElements', [all, ids], [picked], { axis: -1 })
      e.node('Squeeze', [picked, e.integers([-1])], [logprob])
    },
    gradient: (node, [dy, dall]) => {
      if (dall || !dy) throw new GraphError('TokenLogProb has a gradient through its first output only')
      const [tokens, all] = [required(node, 1), node.outputs[1] as Value]
      const column = reshape(dy, last(tokens))
      return [scatterAdd(neg(mul(exp(all), column)), reshape(tokens, last(tokens)), column, -1), null]
    },
  },
}
