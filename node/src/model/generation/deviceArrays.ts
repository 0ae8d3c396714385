import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, type Feed, type Session, tensor } from '#engine/session.ts'
import { concat, gather } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'

/** Moves of blocks [rows, heads, positions, width], and of matrices, in a device's memory. Each gives a new one. */
export interface DeviceArrays {
  /** Some rows and positions of a block, in an order of their own, and as often as they are named. */
  pick(block: Feed, rows: readonly number[], positions: readonly number[]): Promise<DeviceTensor>
  /** Two blocks after each other, along rows (0) or positions (2). */
  join(axis: 0 | 2, first: Feed, second: Feed): Promise<DeviceTensor>
  /** Some rows of a matrix, [to - from, width]. */
  rows(matrix: Feed, from: number, to: number): Promise<DeviceTensor>
  /** The rows of two matrices after each other. */
  joinRows(first: Feed, second: Feed): Promise<DeviceTensor>
}

const open = new Map<Device, DeviceArrays>()

/** The programs of a device that move blocks. They are built at first use, and once. */
export function deviceArrays(device: Device): DeviceArrays {
  const known = open.get(device)
  if (known) return known
  const program = (build: (graph: Graph) => Value) => {
    let session: Promise<Session> | undefined
    return async (feeds: Record<string, Feed>) => {
      session ??= createSession(encodeModel({ y: build(new Graph()) }, [], device, ['y']), { threads: 1 })
      return (await (await session).runKeeping(feeds, ['y'])).kept.y as DeviceTensor
    }
  }
  const picked = program(graph => {
    const ids = (name: string, length: string) => graph.input(name, 'i64', [length])
    const block = graph.input('block', 'f32', ['B', 'H', 'P', 'D'])
    return gather(gather(block, ids('rows', 'R'), 0), ids('positions', 'N'), 2)
  })
  const joined = (axis: 0 | 2) =>
    program(graph => {
      const block = (name: string, length: string) =>
        graph.input(name, 'f32', axis === 0 ? [length, 'H', 'P', 'D'] : ['B', 'H', length, 'D'])
      return concat([block('first', 'M'), block('second', 'N')], axis, 'M+N')
    })
  const joins = { 0: joined(0), 2: joined(2) }
  const someRows = program(graph =>
    gather(graph.input('matrix', 'f32', ['M', 'D']), graph.input('rows', 'i64', ['N']), 0),
  )
  const moreRows = program(graph =>
    concat([graph.input('first', 'f32', ['M', 'D']), graph.input('second', 'f32', ['N', 'D'])], 0, 'M+N'),
  )
  const ids = (xs: readonly number[]) => tensor('i64', BigInt64Array.from(xs, BigInt), [xs.length])
  const arrays: DeviceArrays = {
    pick: (block, rows, positions) => picked({ block, rows: ids(rows), positions: ids(positions) }),
    join: (axis, first, second) => joins[axis]({ first, second }),
    rows: (matrix, from, to) => someRows({ matrix, rows: ids(Array.from({ length: to - from }, (_, i) => from + i)) }),
    joinRows: (first, second) => moreRows({ first, second }),
  }
  open.set(device, arrays)
  return arrays
}
