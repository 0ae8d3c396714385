import { onnxTypes } from '../dtypes.ts'
import { GraphError } from '../engineError.ts'
import type { ElementwiseOp } from '../op.ts'
import { type Application, type Emitter, emitAs, integerAttribute, type OpRow, required, sameType } from '../opRow.ts'
import { broadcastShapes } from '../shapes.ts'
import { cast, div, equal, lessOrEqual, mul, neg, scale, subFrom, sumTo, where, zerosLike } from '../tensor.ts'
import type { DType, GraphNode, Value } from '../value.ts'
import { chain } from './integer.ts'
import { emitCast } from './rounding.ts'

const binary = (application: Application) => {
  const [a, b] = [required(application, 0), required(application, 1)]
  return [{ dtype: sameType(application.op, a, b), shape: broadcastShapes(a.shape, b.shape) }]
}

const comparison = (application: Application) =>
  binary(application).map(({ shape }) => ({ dtype: 'bool' as const, shape }))

const unary = (application: Application) => {
  const a = required(application, 0)
  return [{ dtype: a.dtype, shape: a.shape }]
}

const dtypes = Object.keys(onnxTypes) as DType[]

/** A gradient rule over broadcast operands: each operand's part is summed back to the operand's shape. */
const broadcast =
  (rule: (a: Value, b: Value, dy: Value, y: Value) => readonly [Value, Value]): OpRow['gradient'] =>
  (node, [dy]) => {
    const [a, b] = [required(node, 0), required(node, 1)]
    const [da, db] = rule(a, b, dy as Value, node.outputs[0] as Value)
    return [sumTo(da, a.shape), sumTo(db, b.shape)]
  }

const pointwise =
  (rule: (x: Value, dy: Value, y: Value) => Value): OpRow['gradient'] =>
  (node: GraphNode, [dy]) => [rule(required(node, 0), dy as Value, node.outputs[0] as Value)]

export const elementwiseRows: Record<ElementwiseOp, OpRow> = {
  Add: { infer: binary, gradient: broadcast((_a, _b, dy) => [dy, dy]) },
  Sub: { infer: binary, gradient: broadcast((_a, _b, dy) => [dy, neg(dy)]) },
  Mul: { infer: binary, gradient: broadcast((a, b, dy) => [mul(dy, b), mul(dy, a)]) },
  Div: { infer: binary, gradient: broadcast((_a, b, dy, y) => [div(dy, b), neg(div(mul(dy, y), b))]) },
  // Ties go to the first operand.
  Min: { infer: binary, gradient: broadcast((a, b, dy) => select(lessOrEqual(a, b), dy)) },
  Max: { infer: binary, gradient: broadcast((a, b, dy) => select(lessOrEqual(b, a), dy)) },
  Neg: { infer: unary, gradient: pointwise((_x, dy) => neg(dy)) },
  Exp: { infer: unary, gradient: pointwise((_x, dy, y) => mul(dy, y)) },
  Log: { infer: unary, gradient: pointwise((x, dy) => div(dy, x)) },
  Sqrt: { infer: unary, gradient: pointwise((_x, dy, y) => scale(div(dy, y), 0.5)) },
  Reciprocal: { infer: unary, gradient: pointwise((_x, dy, y) => neg(mul(dy, mul(y, y)))) },
  Sigmoid: { infer: unary, gradient: pointwise((_x, dy, y) => mul(dy, mul(y, subFrom(1, y)))) },
  Identity: { infer: unary, gradient: pointwise((_x, dy) => dy) },
  // Inputs x, low, high (scalars). No gradient outside the bounds, all of it on them.
  Clip: {
    infer: unary,
    gradient: (node, [dy]) => {
      const x = required(node, 0)
      return [where(equal(x, node.outputs[0] as Value), dy as Value, zerosLike(dy as Value)), null, null]
    },
  },
  Where: {
    infer: application => {
      const [c, a, b] = [required(application, 0), required(application, 1), required(application, 2)]
      if (c.dtype !== 'bool') throw new GraphError(`Where needs a bool condition, not ${c.dtype}`)
      return [{ dtype: sameType('Where', a, b), shape: broadcastShapes(c.shape, broadcastShapes(a.shape, b.shape)) }]
    },
    gradient: (node, [dy]) => {
      const [c, a, b] = [required(node, 0), required(node, 1), required(node, 2)]
      const [da, db] = select(c, dy as Value)
      return [null, sumTo(da, a.shape), sumTo(db, b.shape)]
    },
  },
  // Attribute `to`: the ONNX number of the type.
  Cast: {
    infer: application => {
      const to = integerAttribute(application.attributes, 'to', 0)
      const dtype = dtypes.find(t => onnxTypes[t] === to)
      if (!dtype) throw new GraphError(`Cast to the ONNX type ${to} is not supported`)
      return [{ dtype, shape: required(application, 0).shape }]
    },
    emit: emitCast,
    gradient: (node, [dy]) => [cast(dy as Value, required(node, 0).dtype)],
  },
  Less: { infer: comparison, gradient: 'discrete' },
  LessOrEqual: { infer: comparison, gradient: 'discrete' },
  Greater: { infer: comparison, gradient: 'discrete' },
  GreaterOrEqual: { infer: comparison, gradient: 'discrete' },
  Equal: { infer: comparison, gradient: 'discrete' },
  And: { infer: comparison, gradient: 'discrete' },
  Or: { infer: comparison, emit: { cpu: emitAs('Or'), cuda: emitAs('Or'), webgpu: emitNeither }, gradient: 'discrete' },
  Not: { infer: unary, gradient: 'discrete' },
}

/** WebGPU has no Or: not (not a and not b). */
function emitNeither(node: GraphNode, e: Emitter): void {
  const step = chain(e)
  const [a, b] = node.inputs.map(value => step('Not', [e.name(value)])) as [string, string]
  e.node('Not', [step('And', [a, b])], [e.name(node.outputs[0] as Value)])
}

function select(condition: Value, dy: Value): [Value, Value] {
  const zero = dy.graph.scalar(0, dy.dtype)
  return [where(condition, dy, zero), where(condition, zero, dy)]
}
