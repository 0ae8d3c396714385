import { once } from '#base/once.ts'
import { putRows } from '#engine/cachedAttention.ts'
import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, type Feed, type Session, tensor } from '#engine/session.ts'
import { cast, concat, gather, reshape } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'

/** Number type of arrays on a device. */
export type DeviceReal = 'f32' | 'f16'

/** Arrays in a device's memory, and moves of their rows. */
export interface DeviceArrays {
  /** Zeros. */
  zeros(dtype: DeviceReal, shape: readonly number[]): Promise<DeviceTensor>
  /** Copies some rows [H, P, D] of an array over others of a second one, or of the same: row `from[i]` to row `to[i]`. Rows that are written are not read. */
  move(source: DeviceTensor, from: readonly number[], target: DeviceTensor, to: readonly number[]): Promise<void>
  /** Some rows of a matrix, [to - from, width], as a new one. */
  rows(matrix: Feed, from: number, to: number): Promise<DeviceTensor>
  /** Some numbers of a matrix, by their places in it, row after row. They are copied to this process. */
  numbers(matrix: DeviceTensor, places: readonly number[]): Promise<Float32Array>
  /** The rows of two matrices after each other, as a new one. */
  joinRows(first: Feed, second: Feed): Promise<DeviceTensor>
}

const open = new Map<Device, DeviceArrays>()

/** A device's programs for arrays, built once, at first use. */
export function deviceArrays(device: Device): DeviceArrays {
  const known = open.get(device)
  if (known) return known
  const sessions = new Map<string, Promise<Session>>()
  const session = (name: string, build: (graph: Graph) => Value, isKept = true) =>
    once(sessions, name, () =>
      createSession(encodeModel({ y: build(new Graph()) }, [], device, isKept ? ['y'] : []), { threads: 1 }),
    )
  const given = async (made: Promise<Session>, feeds: Record<string, Feed>) =>
    (await (await made).runKeeping(feeds, ['y'])).kept.y as DeviceTensor
  const arrays: DeviceArrays = {
    zeros(dtype, shape) {
      const made = session(`zeros ${dtype} ${shape.length}`, graph => zeros(graph, dtype, shape.length))
      return given(made, { shape: ids(shape), zero: tensor('f32', new Float32Array(1), []) })
    },
    async move(source, from, target, to) {
      const made = session(`move ${source.dtype}`, graph => moved(graph, source.dtype as DeviceReal), false)
      await (await made).run({ source, from: ids(from), target, to: ids(to) }, { y: target })
    },
    rows: (matrix, from, to) =>
      given(session('rows', someRows), { matrix, rows: ids(Array.from({ length: to - from }, (_, i) => from + i)) }),
    async numbers(matrix, places) {
      const made = session('numbers', someNumbers, false)
      return (await (await made).run({ matrix, places: ids(places) })).y?.data as Float32Array
    },
    joinRows: (first, second) => given(session('join', moreRows), { first, second }),
  }
  open.set(device, arrays)
  return arrays
}

const ids = (xs: readonly number[]) => tensor('i64', BigInt64Array.from(xs, BigInt), [xs.length])

function zeros(graph: Graph, dtype: DeviceReal, rank: number): Value {
  const lengths = Array.from({ length: rank }, (_, axis) => `D${axis}`)
  const zero = cast(graph.input('zero', 'f32', []), dtype)
  return graph.apply1('Expand', [zero, graph.input('shape', 'i64', [rank])], {}, lengths)
}

function moved(graph: Graph, dtype: DeviceReal): Value {
  const source = graph.input('source', dtype, ['R', 'H', 'P', 'D'])
  const target = graph.input('target', dtype, ['B', 'H', 'P', 'D'])
  const of = (name: string) => graph.input(name, 'i64', ['N'])
  return putRows(target, of('to'), gather(source, of('from'), 0))
}

const someRows = (graph: Graph) =>
  gather(graph.input('matrix', 'f32', ['M', 'D']), graph.input('rows', 'i64', ['N']), 0)

const someNumbers = (graph: Graph) =>
  gather(reshape(graph.input('matrix', 'f32', ['M', 'D']), ['M*D']), graph.input('places', 'i64', ['N']), 0)

const moreRows = (graph: Graph) =>
  concat([graph.input('first', 'f32', ['M', 'D']), graph.input('second', 'f32', ['N', 'D'])], 0, 'M+N')
