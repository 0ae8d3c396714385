import { GraphError } from '../engineError.ts'
import type { ReshapingOp } from '../op.ts'
import { declaredShape, integerAttribute, integersAttribute, type OpRow, required, sameType } from '../opRow.ts'
import { positiveAxis, sameShape, sumDim } from '../shapes.ts'
import { concat, pad, reshape, slice, split, sumTo, transpose, zerosLike } from '../tensor.ts'
import type { Dim, Value } from '../value.ts'

const declared: OpRow['infer'] = application => [
  { dtype: required(application, 0).dtype, shape: declaredShape(application) },
]

/** Lengths along a sliced axis, which the gradient needs as numbers. */
function staticLengths(values: readonly Value[], axis: number): readonly number[] {
  return values.map(v => {
    const length = v.shape[axis]
    if (typeof length !== 'number') throw new GraphError('Slice along a symbolic axis has no gradient')
    return length
  })
}

export const reshapingRows: Record<ReshapingOp, OpRow> = {
  // Inputs x, shape (i64). Keeps the order of the elements.
  Reshape: {
    infer: application => {
      const x = required(application, 0)
      const shape = declaredShape(application)
      const count = (dims: readonly (number | string)[]) => (dims as readonly number[]).reduce((a, b) => a * b, 1)
      const known = [...x.shape, ...shape].every(d => typeof d === 'number')
      if (known && count(x.shape) !== count(shape)) throw new GraphError(`Reshape from [${x.shape}] to [${shape}]`)
      return [{ dtype: x.dtype, shape }]
    },
    gradient: (node, [dy]) => [reshape(dy as Value, required(node, 0).shape), null],
  },
  // Attribute `perm`.
  Transpose: {
    infer: application => {
      const x = required(application, 0)
      const perm = integersAttribute(application.attributes, 'perm')
      if (
        !sameShape(
          [...perm].sort((a, b) => a - b),
          x.shape.map((_, i) => i),
        )
      ) {
        throw new GraphError(`Transpose: [${perm}] does not permute ${x.shape.length} axes`)
      }
      return [{ dtype: x.dtype, shape: perm.map(p => x.shape[p] as number) }]
    },
    gradient: (node, [dy]) => {
      const perm = integersAttribute(node.attributes, 'perm')
      return [
        transpose(
          dy as Value,
          perm.map((_, i) => perm.indexOf(i)),
        ),
      ]
    },
  },
  // Inputs x, shape (i64).
  Expand: { infer: declared, gradient: (node, [dy]) => [sumTo(dy as Value, required(node, 0).shape), null] },
  // Attribute `axis`.
  Concat: {
    infer: application => {
      const values = application.inputs.map((_, i) => required(application, i))
      const first = required(application, 0)
      const axis = positiveAxis(integerAttribute(application.attributes, 'axis', 0), first.shape.length)
      for (const v of values) {
        if (!v.shape.every((d, i) => i === axis || d === first.shape[i])) {
          throw new GraphError(`Concat: [${v.shape}] does not fit [${first.shape}] along axis ${axis}`)
        }
      }
      const along = application.declared?.[axis] ?? sumDim(values.map(v => v.shape[axis] as number))
      return [{ dtype: sameType('Concat', ...values), shape: first.shape.map((d, i) => (i === axis ? along : d)) }]
    },
    gradient: (node, [dy]) => {
      const axis = positiveAxis(integerAttribute(node.attributes, 'axis', 0), required(node, 0).shape.length)
      const lengths = (node.inputs as readonly Value[]).map(value => value.shape[axis] as Dim)
      return split(dy as Value, axis, lengths)
    },
  },
  // Inputs x, sizes (i64); attribute `axis`. Declared shape: the parts' lengths.
  Split: {
    infer: application => {
      const x = required(application, 0)
      const sizes = declaredShape(application)
      const axis = positiveAxis(integerAttribute(application.attributes, 'axis', 0), x.shape.length)
      const known = [...sizes, x.shape[axis]].every(size => typeof size === 'number')
      if (known && x.shape[axis] !== sumDim(sizes))
        throw new GraphError(`Split: parts of ${sumDim(sizes)} from a length of ${x.shape[axis]}`)
      return sizes.map(size => ({ dtype: x.dtype, shape: x.shape.map((d, i) => (i === axis ? size : d)) }))
    },
    gradient: (node, dy) => {
      const x = required(node, 0)
      const axis = positiveAxis(integerAttribute(node.attributes, 'axis', 0), x.shape.length)
      const parts = node.outputs.map((y, i) => dy[i] ?? zerosLike(y))
      return [concat(parts, axis, x.shape[axis]), null]
    },
  },
  // Inputs x, starts, ends, axes (i64 constants of length 1).
  Slice: {
    infer: declared,
    gradient: (node, [dy]) => {
      const x = required(node, 0)
      const [start, axis] = [1, 3].map(i => Number((required(node, i).data as BigInt64Array)[0])) as [number, number]
      const [whole, part] = staticLengths([x, node.outputs[0] as Value], axis) as [number, number]
      const from = start < 0 ? start + whole : start
      return [pad(dy as Value, axis, from, whole - part - from), null, null, null]
    },
  },
  // Inputs x, pads (i64 constant, all starts then all ends). Pads with zeros.
  Pad: {
    infer: declared,
    gradient: (node, [dy]) => {
      const x = required(node, 0)
      const pads = Array.from(required(node, 1).data as BigInt64Array, Number)
      let part = dy as Value
      for (const [axis, dim] of x.shape.entries()) {
        const start = pads[axis] as number
        if (start === 0 && pads[axis + x.shape.length] === 0) continue
        part = slice(part, axis, start, start + (dim as number))
      }
      return [part, null]
    },
  },
  // Inputs x, axes (i64 constant).
  Unsqueeze: { infer: declared, gradient: (node, [dy]) => [reshape(dy as Value, required(node, 0).shape), null] },
  Squeeze: { infer: declared, gradient: (node, [dy]) => [reshape(dy as Value, required(node, 0).shape), null] },
  // Attributes `start`, `end`.
  Shape: {
    infer: application => {
      const rank = required(application, 0).shape.length
      const start = integerAttribute(application.attributes, 'start', 0)
      return [{ dtype: 'i64', shape: [integerAttribute(application.attributes, 'end', rank) - start] }]
    },
    gradient: 'discrete',
  },
  // Inputs start, limit, delta: scalars of one type. Declared shape: [length].
  Range: { infer: declared, gradient: 'discrete' },
}
