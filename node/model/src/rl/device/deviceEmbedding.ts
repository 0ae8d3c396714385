import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { rankModel, rankPrograms } from '#engine/devices/rankPrograms.ts'
import type { Graph } from '#engine/graph.ts'
import type { Tensor } from '#engine/session.ts'
import { gather, scatterRows } from '#engine/tensor.ts'
import type { Shape } from '#engine/value.ts'

/** An embedding table that is in a device's memory. */
export interface DeviceEmbedding {
  /** Rows of the table [V, C] at ids [...]: [..., C]. */
  rows(table: DeviceTensor, ids: Tensor<'i64'>): Promise<DeviceTensor>
  /** The table's gradient [V, C] from that of its rows. */
  gradient(table: DeviceTensor, ids: Tensor<'i64'>, dx: DeviceTensor): Promise<DeviceTensor>
}

const open = new Map<Device, DeviceEmbedding>()

/** A device's programs for tables, built once, at first use. */
export function deviceEmbedding(device: Device): DeviceEmbedding {
  const known = open.get(device)
  if (known) return known
  const inputs = (graph: Graph, shape: Shape) => ({
    table: graph.input('table', 'f32', ['V', 'C']),
    ids: graph.input('ids', 'i64', shape),
  })
  const rows = rankPrograms(rank =>
    rankModel(device, rank, (graph, shape) => {
      const { table, ids } = inputs(graph, shape)
      return { y: gather(table, ids, 0) }
    }),
  )
  const gradients = rankPrograms(rank =>
    rankModel(device, rank, (graph, shape) => {
      const { table, ids } = inputs(graph, shape)
      return { y: scatterRows(table, ids, graph.input('dx', 'f32', [...shape, 'C'])) }
    }),
  )
  const embedding: DeviceEmbedding = {
    rows: async (table, ids) => (await rows.run(ids.shape.length, { table, ids })).y as DeviceTensor,
    gradient: async (table, ids, dx) => (await gradients.run(ids.shape.length, { table, ids, dx })).y as DeviceTensor,
  }
  open.set(device, embedding)
  return embedding
}
