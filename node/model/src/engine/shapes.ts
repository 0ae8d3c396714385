import { GraphError } from './engineError.ts'
import type { Dim, Shape } from './value.ts'

/** True if two shapes are the same, symbols by name. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dim, i) => dim === b[i])
}

/**
 * The shape that two shapes broadcast to, by NumPy's rule. A symbol broadcasts with itself and with 1.
 *
 * @throws {GraphError} if they do not broadcast.
 */
export function broadcastShapes(a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, i) => {
    const x = a[i - (rank - a.length)] ?? 1
    const y = b[i - (rank - b.length)] ?? 1
    if (x !== y && x !== 1 && y !== 1) throw new GraphError(`shapes [${a}] and [${b}] do not broadcast`)
    return x === 1 ? y : x
  })
}

/** An axis counted from the front. */
export function positiveAxis(axis: number, rank: number): number {
  const positive = axis < 0 ? axis + rank : axis
  if (positive < 0 || positive >= rank) throw new GraphError(`axis ${axis} is outside a shape of ${rank} dimensions`)
  return positive
}

/** The dimension at an axis, which may count from the back. */
export function dimAt(shape: Shape, axis: number): Dim {
  return shape[positiveAxis(axis, shape.length)] as Dim
}

/** The product of dimensions: a number if all are, else a name like `B*T`. */
export function productDim(dims: Shape): Dim {
  const numbers = dims.filter(d => typeof d === 'number').reduce((a, b) => a * b, 1)
  const names = dims.filter(d => typeof d === 'string')
  if (names.length === 0) return numbers
  return numbers === 1 ? names.join('*') : [numbers, ...names].join('*')
}

/** The sum of dimensions along a concatenation. */
export function sumDim(dims: Shape): Dim {
  if (dims.every(d => typeof d === 'number')) return (dims as readonly number[]).reduce((a, b) => a + b, 0)
  return dims.join('+')
}
