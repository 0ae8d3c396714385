import { expect, test } from 'vitest'
import { type PolicyBatchOptions, policyTargets } from './policyBatch.ts'

/** Probabilities of a completion's tokens: the trained policy's, and the sampler's. */
type Probabilities = readonly (readonly [own: number, sampler: number])[]

/** Advantages of a completion's tokens, times their importance weights. */
function weighed(tokens: Probabilities, advantage: number, options: Partial<PolicyBatchOptions> = {}): number[] {
  const places = Int32Array.from({ length: tokens.length + 1 }, (_, i) => i)
  const samplingLogprobs = Float32Array.from(tokens, ([, sampler]) => Math.log(sampler))
  const batch = [{ tokens: places, scored: places.subarray(1), advantage, samplingLogprobs }]
  const [target] = policyTargets(batch, { clipLow: 0.2, clipHigh: 0.28, klBeta: 0, ...options })
  const own = Float32Array.from(tokens, ([probability]) => Math.log(probability))
  return Array.from(target?.perTokenOf?.(own).advantages ?? [], x => Math.round(x * 1e3) / 1e3)
}

const masked = { maskTruncatedAlternatives: true } as const
const tokens: Probabilities = [
  [0.7, 0.999],
  [0.9, 0.965],
  [0.9, 0.94],
  [0.05, 0.3],
  [0.9, 0.3],
]

test('a token of negative advantage whose alternatives would weigh more than the cap has no weight', () => {
  expect(weighed(tokens, -1)).toEqual([-0.701, -0.933, -0.957, -0.167, -2])
  expect(weighed(tokens, -1, masked)).toEqual([-0, -0, -0.957, -0.167, -2])
  expect(weighed(tokens, -1, { ...masked, importanceSamplingCap: 3 })).toEqual([-0, -0.933, -0.957, -0.167, -3])
  expect(weighed(tokens, 1, masked)).toEqual([0.701, 0.933, 0.957, 0.167, 2])
})

test('positive advantages weigh no less than the floor, and no more than the cap', () => {
  expect(weighed(tokens, 1, { importanceSamplingFloor: 3 })).toEqual([2, 2, 2, 2, 2])
  expect(weighed(tokens, 1, { importanceSamplingFloor: 1 })).toEqual([1, 1, 1, 1, 2])
  expect(weighed(tokens, 2, { importanceSamplingFloor: 0.5 })).toEqual([1.401, 1.865, 1.915, 1, 4])
  expect(weighed(tokens, -1, { importanceSamplingFloor: 1 })).toEqual(weighed(tokens, -1))
  const whole = { importanceSamplingMode: 'sequence_truncate', importanceSamplingFloor: 1 } as const
  expect(weighed(tokens.slice(0, 2), 1, whole)).toEqual([1, 1])
})

test('completions that the trained policy finds too unlikely have no floor', () => {
  // Its nats are 0.357, 0.105, 0.105, 2.996 and 0.105: 0.733 in the mean.
  const floor = (importanceSamplingFloorNats: number) =>
    weighed(tokens, 1, { importanceSamplingFloor: 1, importanceSamplingFloorNats })
  expect(floor(0.74)).toEqual([1, 1, 1, 1, 2])
  expect(floor(0.73)).toEqual(weighed(tokens, 1))
  // Text of a peer's choice, each token of which it claims to be certain of.
  const forged: Probabilities = [
    [0.05, 1],
    [0.2, 1],
  ]
  const limited = { ...masked, importanceSamplingFloor: 1, importanceSamplingFloorNats: 0.3 }
  expect(weighed(forged, 1, limited)).toEqual([0.05, 0.2])
  expect(weighed(forged, -1, limited)).toEqual([-0, -0])
})

test('log-probabilities of a sampler that are not one for each scored token are refused', () => {
  const sequence = { tokens: Int32Array.of(1, 2, 3, 4), scored: Int32Array.of(2, 3), advantage: 1 }
  const targets = (count: number) => () =>
    policyTargets([{ ...sequence, samplingLogprobs: new Float32Array(count) }], {
      clipLow: 0.2,
      clipHigh: 0.28,
      klBeta: 0,
    })
  expect(targets(2)).not.toThrow()
  for (const count of [1, 3]) expect(targets(count)).toThrow(`${count} values for 2 scored tokens`)
})

/** Three of a peer's four answers take `good`, which the trained policy has all but forgotten. */
test("a peer's right answer is learned from as if it were the policy's own, however unlikely it is", () => {
  const [own, sampler] = [0.001, 0.75]
  const gradient = (options: Partial<PolicyBatchOptions>) => {
    const [ofGood = 0] = weighed([[own, sampler]], 0.5, options)
    const [ofBad = 0] = weighed([[1 - own, 1 - sampler]], -1.5, options)
    return sampler * ofGood * (1 - own) + (1 - sampler) * ofBad * -own
  }
  expect(gradient(masked)).toBeLessThan(0.002)
  expect(gradient({ ...masked, importanceSamplingFloor: 1 })).toBeGreaterThan(0.37)
})

test('tokens are masked one by one also where completions are weighed as a whole', () => {
  const whole = { ...masked, importanceSamplingMode: 'sequence_truncate' } as const
  expect(weighed(tokens.slice(0, 3), -1, whole)).toEqual([-0, -0, -0.626])
})

test('certain tokens of both policies are neither masked nor not a number', () => {
  expect(weighed([[1, 1]], -1, masked)).toEqual([-1])
})

/**
 * One place with two tokens. The sampler gives `good` 0.999, the trained policy has unlearned it to 0.7. What follows `good` earns less than the mean
 * of its group, and what follows the other token earns nothing.
 */
test("a peer's samples do not make a token less likely whose alternative, which the peer hardly draws, is worse", () => {
  const [sampler, own] = [0.999, 0.7]
  const [good, bad, mean] = [0.4, 0, 0.6]
  /** The expected gradient by the logit of `good` over the sampler's draws. */
  const gradient = (options: Partial<PolicyBatchOptions>) => {
    const [ofGood = 0] = weighed([[own, sampler]], good - mean, options)
    const [ofBad = 0] = weighed([[1 - own, 1 - sampler]], bad - mean, options)
    return sampler * ofGood * (1 - own) + (1 - sampler) * ofBad * -own
  }
  const ofOwnSamples = own * (1 - own) * (good - bad)
  expect(ofOwnSamples).toBeGreaterThan(0.08)
  expect(gradient({ importanceSamplingCap: Number.POSITIVE_INFINITY })).toBeCloseTo(ofOwnSamples, 3)
  expect(gradient({})).toBeLessThan(-0.04)
  expect(gradient(masked)).toBeGreaterThan(0)
})
