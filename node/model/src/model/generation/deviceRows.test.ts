import type { Tensor } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { DeviceRows } from './deviceRows.ts'

/** Arrays of a device with memory for some rows. */
function openDevice(most: number) {
  const [made, held]: [number[], Set<number>] = [[], new Set()]
  const sum = () => [...held].reduce((rows, more) => rows + more, 0)
  const rows = new DeviceRows(async count => {
    if (sum() + count > most) throw new Error('no memory')
    made.push(count)
    held.add(count)
    const array = { gpuBuffer: {} } as unknown as Tensor
    return { dtype: 'f32', shape: [count, 10], held: array, dispose: () => held.delete(count) } satisfies DeviceTensor
  })
  return { rows, made, held }
}

test('fewer and fewer rows are those of one array, and more rows replace it', async () => {
  const { rows, made, held } = openDevice(64)
  expect((await rows.first(2)).shape).toEqual([2, 10])
  for (let count = 64; count > 0; count--) expect((await rows.first(count)).shape).toEqual([count, 10])
  expect(made).toEqual([2, 64])
  expect([...held]).toEqual([64])
  await expect(rows.first(65)).rejects.toThrow('no memory')
  expect((await rows.first(3)).shape).toEqual([3, 10])
  rows.dispose()
  expect(held.size).toBe(0)
})
