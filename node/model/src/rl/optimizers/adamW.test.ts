import { expect, test } from 'vitest'
import { createAdamW } from './adamW.ts'

const parametersOf = (data: number[]) => new Map([['w', { shape: [data.length], data: Float32Array.from(data) }]])
const gradientsOf = (data: number[]) => new Map([['w', Float32Array.from(data)]])

/** The published algorithm, one scalar at a time, in float64. */
function reference(
  start: number,
  gradients: number[],
  rate: number,
  [b1, b2]: [number, number],
  decay: number,
): number {
  let [w, m, v] = [start, 0, 0]
  gradients.forEach((g, i) => {
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g ** 2
    const [mHat, vHat] = [m / (1 - b1 ** (i + 1)), v / (1 - b2 ** (i + 1))]
    w = w - rate * decay * w - (rate * mHat) / (Math.sqrt(vHat) + 1e-8)
  })
  return w
}

test('three steps agree with the published algorithm within float32 rounding', async () => {
  const parameters = parametersOf([1, -2, 0.5])
  const optimizer = createAdamW(parameters, { beta1: 0.9, beta2: 0.99, weightDecay: 0.1 })
  const steps = [
    [0.1, -1, 3],
    [0.2, 0, -3],
    [-0.5, 2, 1e-3],
  ]
  for (const gradient of steps) await optimizer.step(gradientsOf(gradient), 0.01)
  for (const [i, start] of [1, -2, 0.5].entries()) {
    const expected = reference(
      start,
      steps.map(s => s[i] as number),
      0.01,
      [0.9, 0.99],
      0.1,
    )
    expect(parameters.get('w')?.data[i]).toBeCloseTo(expected, 6)
  }
})

test('the first step moves every weight by the learning rate, whatever the size of its gradient', async () => {
  const parameters = parametersOf([0, 0, 0])
  await createAdamW(parameters).step(gradientsOf([1e-3, -5, 100]), 0.01)
  const moved = parameters.get('w')?.data as Float32Array
  for (const [i, sign] of [-1, 1, -1].entries()) expect(moved[i]).toBeCloseTo(sign * 0.01, 6)
})

test('a restored state continues bit for bit, and is a copy', async () => {
  const [first, second] = [parametersOf([1, 2]), parametersOf([1, 2])]
  const original = createAdamW(first)
  await original.step(gradientsOf([1, -1]), 0.1)
  const state = original.state()
  for (const [name, { data }] of second) data.set(first.get(name)?.data as Float32Array)
  await original.step(gradientsOf([3, 1]), 0.1)
  const restored = createAdamW(second)
  restored.load(state)
  await restored.step(gradientsOf([3, 1]), 0.1)
  expect(second.get('w')?.data).toEqual(first.get('w')?.data)
})

test('a state of another model is refused, with nothing changed', () => {
  const state = createAdamW(parametersOf([1, 2, 3])).state()
  expect(() => createAdamW(parametersOf([1, 2])).load(state)).toThrow('does not fit the model')
})
