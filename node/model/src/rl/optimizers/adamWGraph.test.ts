import { expect, test } from 'vitest'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { createAdamW } from './adamW.ts'
import { adamWModel, adamWScalars, squaresModel } from './adamWGraph.ts'
import { clipGradients } from './learner.ts'

const options = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.1 }
/** Gradients of all sizes, some beyond the limit of the norm. */
const gradientOf = (step: number) =>
  Float32Array.from({ length: 12 }, (_, i) => Math.sin(i * 7 + step * 3) * 10 ** ((i % 4) - 2))

const farthest = (a: Float32Array, b: Float32Array) => {
  const largest = b.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  return a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - (b[i] as number))), 0) / largest
}

test('twenty steps of the graph are those of the loop within 1e-6, and its norm is the clip’s', async () => {
  const shape = [3, 4]
  const start = Float32Array.from({ length: 12 }, (_, i) => Math.cos(i))
  const weights = new Map([['w', { shape, data: start.slice() }]])
  const optimizer = createAdamW(weights, options)
  const session = await createSession(adamWModel(2, options, 'cpu'), { threads: 1 })
  const squares = await createSession(squaresModel(2, 'cpu'), { threads: 1 })
  let [weight, mean, square]: Tensor[] = [start, new Float32Array(12), new Float32Array(12)].map(data =>
    tensor('f32', data, shape),
  )
  for (let step = 1; step <= 20; step++) {
    const gradient = tensor('f32', gradientOf(step), shape)
    const list = tensor('f32', new Float32Array(1), [1])
    const { longer } = await squares.run({ x: gradient, list })
    const clipped = new Map([['w', gradientOf(step)]])
    const norm = clipGradients(clipped, 5)
    expect(Math.abs(Math.sqrt(longer?.data[1] as number) / norm - 1)).toBeLessThan(1e-6)
    await optimizer.step(clipped, 1e-2 / step)
    const factor = norm > 5 ? 5 / (norm + 1e-6) : 1
    const scalars = Object.entries(adamWScalars(step, factor, 1e-2 / step, options)).map(([name, x]) => [
      name,
      tensor('f32', Float32Array.of(x), []),
    ])
    const next = await session.run({ ...Object.fromEntries(scalars), weight, mean, square, gradient } as Record<
      string,
      Tensor
    >)
    ;[weight, mean, square] = [next.nextWeight, next.nextMean, next.nextSquare] as Tensor[]
  }
  const { tensors } = optimizer.state()
  const expected = [weights.get('w')?.data, tensors.get('mean.w'), tensors.get('square.w')]
  for (const [i, found] of [weight, mean, square].entries())
    expect(farthest(found?.data as Float32Array, expected[i] as Float32Array)).toBeLessThan(1e-6)
  await session.dispose()
  await squares.dispose()
})
