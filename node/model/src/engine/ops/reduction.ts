import { GraphError } from '../engineError.ts'
import type { ReductionOp } from '../op.ts'
import {
  type Application,
  type Emission,
  type Emitter,
  integerAttribute,
  integersAttribute,
  type OpRow,
  required,
} from '../opRow.ts'
import { positiveAxis } from '../shapes.ts'
import { cast, cumSum, div, equal, exp, expandLike, mul, reshape, scale, softmax, sub, sumOver } from '../tensor.ts'
import type { GraphNode, Shape, Value } from '../value.ts'
import { chain } from './integer.ts'
import { emitLogSoftmax, emitLogSum } from './logSoftmax.ts'

/** Attributes `axes` (from the front) and `keepdims`; ONNX wants the axes as an input. */
const reduction = (application: Application) => {
  const x = required(application, 0)
  const axes = integersAttribute(application.attributes, 'axes')
  for (const axis of axes) positiveAxis(axis, x.shape.length)
  const keep = integerAttribute(application.attributes, 'keepdims', 1) === 1
  return [{ dtype: x.dtype, shape: reducedShape(x.shape, axes, keep) }]
}

function reducedShape(shape: Shape, axes: readonly number[], keep: boolean): Shape {
  return keep ? shape.map((d, i) => (axes.includes(i) ? 1 : d)) : shape.filter((_, i) => !axes.includes(i))
}

const emitReduction: Emission = (node, e) => {
  const axes = integersAttribute(node.attributes, 'axes')
  const keepdims = integerAttribute(node.attributes, 'keepdims', 1)
  const inputs = [e.name(required(node, 0)), e.integers(axes)]
  e.node(node.op, inputs, [e.name(node.outputs[0] as Value)], { keepdims })
}

/** Subtracts the largest first: kernels without this, such as WebGPU's, overflow. */
function emitLargestFirst(node: GraphNode, e: Emitter): void {
  const axes = integersAttribute(node.attributes, 'axes')
  const { largest, sum } = emitLogSum(e, e.name(required(node, 0)), axes)
  const output = e.name(node.outputs[0] as Value)
  if (integerAttribute(node.attributes, 'keepdims', 1) === 1) e.node('Add', [sum, largest], [output])
  else e.node('Squeeze', [chain(e)('Add', [sum, largest]), e.integers(axes)], [output])
}

/** A reduced value back in the shape that it had with the reduced axes kept as 1. */
function kept(node: GraphNode, value: Value): Value {
  return reshape(value, reducedShape(required(node, 0).shape, integersAttribute(node.attributes, 'axes'), true))
}

const alongLastAxis = (application: Application) => {
  const x = required(application, 0)
  if (integerAttribute(application.attributes, 'axis', -1) !== -1)
    throw new GraphError(`${application.op}: axis must be -1`)
  return [{ dtype: x.dtype, shape: x.shape }]
}

export const reductionRows: Record<ReductionOp, OpRow> = {
  ReduceSum: {
    infer: reduction,
    emit: emitReduction,
    gradient: (node, [dy]) => [expandLike(kept(node, dy as Value), required(node, 0))],
  },
  // Over axes of known length only, so that the gradient is a constant factor.
  ReduceMean: {
    infer: reduction,
    emit: emitReduction,
    gradient: (node, [dy]) => {
      const x = required(node, 0)
      const lengths = integersAttribute(node.attributes, 'axes').map(a => x.shape[a])
      if (!lengths.every(d => typeof d === 'number'))
        throw new GraphError('ReduceMean over a symbolic axis has no gradient')
      return [expandLike(scale(kept(node, dy as Value), 1 / lengths.reduce((a, b) => a * b, 1)), x)]
    },
  },
  // Shared equally among equal maxima.
  ReduceMax: {
    infer: reduction,
    emit: emitReduction,
    gradient: (node, [dy]) => {
      const x = required(node, 0)
      const best = cast(equal(x, kept(node, node.outputs[0] as Value)), x.dtype)
      const count = sumOver(best, integersAttribute(node.attributes, 'axes'), true)
      return [mul(best, div(kept(node, dy as Value), count))]
    },
  },
  ReduceLogSumExp: {
    infer: reduction,
    emit: { cpu: emitReduction, cuda: emitReduction, webgpu: emitLargestFirst },
    gradient: (node, [dy]) => {
      const weights = exp(sub(required(node, 0), kept(node, node.outputs[0] as Value)))
      return [mul(weights, kept(node, dy as Value))]
    },
  },
  Softmax: {
    infer: alongLastAxis,
    gradient: (node, [dy]) => {
      const y = node.outputs[0] as Value
      const t = mul(dy as Value, y)
      return [sub(t, mul(y, sumOver(t, [-1], true)))]
    },
  },
  LogSoftmax: {
    infer: alongLastAxis,
    emit: (node, e) => emitLogSoftmax(e, e.name(required(node, 0)), e.name(node.outputs[0] as Value)),
    gradient: (node, [dy]) => {
      const total = sumOver(dy as Value, [-1], true)
      return [sub(dy as Value, mul(softmax(required(node, 0)), total))]
    },
  },
  // Inputs x, axis (scalar i64 constant); attributes `exclusive`, `reverse`.
  CumSum: {
    infer: application => {
      const x = required(application, 0)
      return [{ dtype: x.dtype, shape: x.shape }]
    },
    gradient: (node, [dy]) => {
      const axis = Number((required(node, 1).data as BigInt64Array)[0])
      const exclusive = integerAttribute(node.attributes, 'exclusive', 0) === 1
      const reverse = integerAttribute(node.attributes, 'reverse', 0) === 1
      return [cumSum(dy as Value, axis, { exclusive, reverse: !reverse }), null]
    },
  },
  ArgMax: {
    infer: application => {
      const x = required(application, 0)
      const axis = positiveAxis(integerAttribute(application.attributes, 'axis', -1), x.shape.length)
      const keep = integerAttribute(application.attributes, 'keepdims', 1) === 1
      return [{ dtype: 'i64', shape: reducedShape(x.shape, [axis], keep) }]
    },
    gradient: 'discrete',
  },
}
