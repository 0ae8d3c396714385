import type { Device } from '../devices/device.ts'
import { gradients } from '../gradients.ts'
import { Graph } from '../graph.ts'
import { encodeModel, type OnnxModel } from '../onnxModel.ts'
import type { Op } from '../op.ts'
import { opTable } from '../opTable.ts'
import { type Tensor, tensor } from '../session.ts'
import * as t from '../tensor.ts'
import type { Shape, Value } from '../value.ts'

/** A test case of an op. */
export interface OpCase {
  readonly title?: string
  /** Shapes of the float inputs; `S` stands for 3. */
  readonly inputs: readonly Shape[]
  /** Values in [low, high): away from poles and kinks. */
  readonly between?: readonly [number, number]
  readonly build: (...inputs: Value[]) => Value
  /** Whether a device needs float16 for it. */
  readonly float16?: true
  /** How far two devices may differ, relative to the largest of a tensor; 1e-5. */
  readonly tolerance?: number
}

/** Deterministic numbers in [low, high) that do not repeat. */
export function numbers(count: number, seed: number, [low, high]: readonly [number, number] = [-1, 1]): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => {
    const x = Math.sin((i + 1) * 12.9898 + seed * 78.233) * 43758.5453
    return low + (high - low) * (x - Math.floor(x))
  })
}

/** Indices, as a constant. */
export const ids = (like: Value, xs: readonly number[], shape: readonly number[] = [xs.length]) =>
  like.graph.constant('i64', shape, BigInt64Array.from(xs, BigInt))

/** Numbers in the graph's own type. */
export const constant = (like: Value, shape: readonly number[], xs: ArrayLike<number>) =>
  like.graph.constant(like.dtype, shape, like.dtype === 'f64' ? Float64Array.from(xs) : Float32Array.from(xs))

const lengths: Record<string, number> = { S: 3, R: 2 }
const bound = (shape: Shape) => shape.map(lengthOf)
export const size = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1)

interface CaseModel {
  readonly model: OnnxModel
  readonly feeds: Record<string, Tensor>
}

/**
 * A case as a model. Outputs: `y`, as real numbers; for an op with a gradient `loss`, which is sum(y * c) with fixed c, so that every
 * element of y has its own gradient, and `gradient.x<i>` of each input.
 */
export function caseModel(op: Op, { inputs, build, between }: OpCase, real: 'f32' | 'f64', device: Device): CaseModel {
  const graph = new Graph(real)
  const feeds: Record<string, Tensor> = {}
  const feed = (name: string, shape: Shape, xs: Float64Array) => {
    feeds[name] = real === 'f64' ? tensor('f64', xs, bound(shape)) : tensor('f32', Float32Array.from(xs), bound(shape))
    return graph.input(name, real, shape)
  }
  const values = inputs.map((shape, i) => feed(`x${i}`, shape, numbers(size(bound(shape)), i, between)))
  const y = build(...values)
  const outputs: Record<string, Value> = { y: t.cast(y, real) }
  if (typeof opTable[op].gradient !== 'string') {
    const loss = t.sumOver(t.mul(y, feed('c', y.shape, numbers(size(bound(y.shape)), 99))))
    outputs.loss = loss
    for (const [i, part] of gradients(loss, values).entries()) outputs[`gradient.x${i}`] = part
  }
  return { model: encodeModel(outputs, [], device), feeds }
}

/** A dimension's length in these cases. */
const lengthOf = (dim: number | string) =>
  typeof dim === 'number' ? dim : dim.split('*').reduce((n, factor) => n * (lengths[factor] ?? Number(factor)), 1)
