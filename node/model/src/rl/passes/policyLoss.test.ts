import { expect, test } from 'vitest'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { policyLoss } from './trainingGraphs.ts'

const M = 5
const names = ['logprobs', 'oldLogprobs', 'advantages', 'weights', 'referenceLogprobs'] as const

async function lossOf(
  values: Record<(typeof names)[number], number[]>,
  klBeta: number,
  useBiasCorrectionKl = true,
  delta?: number,
): Promise<number> {
  const graph = new Graph('f64')
  const inputs = Object.fromEntries(names.map(name => [name, graph.input(name, 'f64', ['M'])]))
  const loss = policyLoss(inputs as unknown as Parameters<typeof policyLoss>[0], {
    clipLow: 0.2,
    clipHigh: 0.28,
    klBeta,
    useBiasCorrectionKl,
    ...(delta === undefined ? {} : { delta }),
  })
  const session = await createSession(encodeModel({ loss }), { threads: 1 })
  const fed = [...session.model.inputs.keys()] as (typeof names)[number][]
  const feeds = Object.fromEntries(fed.map(name => [name, tensor('f64', Float64Array.from(values[name]), [M])]))
  const outputs = await session.run(feeds)
  await session.dispose()
  return (outputs.loss as Tensor<'f64'>).data[0] as number
}

const ratios = [1, 1.5, 1.5, 0.5, 0.5]
const values = {
  logprobs: ratios.map(r => Math.log(r) - 2),
  oldLogprobs: ratios.map(() => -2),
  advantages: [1, 1, -1, 1, -1],
  weights: ratios.map(() => 1 / M),
  referenceLogprobs: ratios.map(() => -2),
}

test('the ratio is clipped only where that makes the objective smaller', async () => {
  // min(ratio A, clipped A): 1, 1.28, -1.5, 0.5, -0.8.
  expect(await lossOf(values, 0)).toBeCloseTo(-(1 + 1.28 - 1.5 + 0.5 - 0.8) / 5, 12)
})

test('with a bound on both sides a ratio of any size costs a token of negative advantage no more than the bound', async () => {
  const old = values.oldLogprobs.map((x, i) => (i === 2 ? x - 1e4 : x))
  expect(await lossOf({ ...values, oldLogprobs: old }, 0)).toBeCloseTo(Math.exp(80) / 5, -25)
  // As above, with the third token's ratio cut to 4.
  expect(await lossOf({ ...values, oldLogprobs: old }, 0, true, 4)).toBeCloseTo(-(1 + 1.28 - 4 + 0.5 - 0.8) / 5, 12)
})

test('the KL penalty is the estimator r - log r - 1, weighted by beta and, unless told otherwise, by the ratio', async () => {
  const kl = ratios.map(r => 1 / r - Math.log(1 / r) - 1)
  const mean = (xs: number[]) => xs.reduce((a, b) => a + b) / xs.length
  expect(await lossOf(values, 0.04, false)).toBeCloseTo(-0.48 / 5 + 0.04 * mean(kl), 12)
  expect(await lossOf(values, 0.04)).toBeCloseTo(
    -0.48 / 5 + 0.04 * mean(kl.map((k, i) => k * (ratios[i] as number))),
    12,
  )
})
