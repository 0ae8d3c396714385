import { expect, test } from 'vitest'
import type { Device } from '../../../node/model/src/engine/devices/device.ts'
import type { Bench } from '../../measure/bench.ts'
import { limitOf, peak } from './limits.ts'

/** A run on a GPU with float16, where nothing is asked: answers are by what the question contains, or fail. */
function benchOf(gpu: Device, answers: Readonly<Record<string, object | string>>) {
  const asked: string[] = []
  const once = async (key: string) => {
    if (key === 'devices') return { devices: [{ device: gpu, float16Reason: null }] }
    asked.push(key)
    const answer = answers[key.startsWith('torch') ? 'torch' : 'own']
    if (answer === undefined) throw new Error('out of memory')
    return answer
  }
  return { asked, bench: { once } as unknown as Bench }
}

test.each([
  ['webgpu', 'float32'],
  ['cuda', 'float16'],
] as const)('on %s both peaks are of products in %s, in which a step multiplies there', async (gpu, type) => {
  const { asked, bench } = benchOf(gpu, { own: { perSec: 1 }, torch: { perSec: 2 } })
  expect(await limitOf(bench, gpu, peak, 'H200')).toEqual({ perSec: 2, by: 'torch' })
  expect(asked).toEqual([
    expect.stringContaining(`"precision":"${type}"`),
    expect.stringContaining(`"dtype":"${type}"`),
  ])
})

test("torch's peak is the limit if Waggle's own fails, and NVIDIA's figure in that type without both", async () => {
  const { bench } = benchOf('webgpu', { torch: { perSec: 2 } })
  expect(await limitOf(bench, 'webgpu', peak, 'H200')).toMatchObject({
    perSec: 2,
    by: expect.stringMatching(/^torch, .*: out of memory$/),
  })
  const none = benchOf('webgpu', { torch: 'python3 is not installed' }).bench
  expect(await limitOf(none, 'webgpu', peak, 'NVIDIA H200')).toMatchObject({ perSec: 67e12 })
  expect(await limitOf(none, 'webgpu', peak, 'another')).toBe('ONNX Runtime: out of memory; python3 is not installed')
})
