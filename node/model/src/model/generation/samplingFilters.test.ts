import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { createGenerator } from './generate.ts'
import { drawFiltered, type SamplingFilters } from './samplingFilters.ts'
import { tokenRaces } from './tokenRaces.ts'

// Probabilities at temperature 1: 0.5, 0.25, 0.125, 0.0625, 0.0625.
const logits = Float32Array.from([0.5, 0.25, 0.125, 0.0625, 0.0625].map(Math.log))
const races = tokenRaces('filters')
const raceOf = (step: number) => races({ prompt: 0, sample: 0, step })
const race = raceOf(0)

/** The tokens that can come, with their probabilities: of many races, and what the draw says of its own. */
function distribution(filters: SamplingFilters, temperature = 1, seen: number[] = []): Record<number, number> {
  const found: Record<number, number> = {}
  const count = new Map<number, number>()
  for (let i = 0; i < 4000; i++) {
    const { token, logprob } = drawFiltered(logits, { ...filters, temperature }, seen, raceOf(i))
    found[token] = Math.round(1e4 * Math.exp(logprob)) / 1e4
    count.set(token, (count.get(token) ?? 0) + 1)
  }
  for (const [token, n] of count) expect(Math.abs(n / 4000 - (found[token] as number))).toBeLessThan(0.03)
  return found
}

test('without a filter all tokens come as often as the softmax says', () => {
  expect(distribution({})).toEqual({ 0: 0.5, 1: 0.25, 2: 0.125, 3: 0.0625, 4: 0.0625 })
})

test('top-k keeps the k most likely, equal ones by number', () => {
  expect(distribution({ topK: 2 })).toEqual({ 0: 0.6667, 1: 0.3333 })
  expect(Object.keys(distribution({ topK: 4 }))).toEqual(['0', '1', '2', '3'])
})

test('top-p keeps the first tokens that reach it, of what top-k left', () => {
  expect(distribution({ topP: 0.75 })).toEqual({ 0: 0.6667, 1: 0.3333 })
  expect(distribution({ topP: 0.751 })).toEqual({ 0: 0.5714, 1: 0.2857, 2: 0.1429 })
  expect(distribution({ topP: 1e-9 })).toEqual({ 0: 1 })
  expect(distribution({ topK: 2, topP: 0.6 })).toEqual({ 0: 1 }) // 0.667 of what is left
})

test('min-p keeps what is likely enough compared with the best', () => {
  expect(Object.keys(distribution({ minP: 0.24 }))).toEqual(['0', '1', '2'])
  expect(Object.keys(distribution({ minP: 0.26 }))).toEqual(['0', '1'])
  expect(distribution({ minP: 1 })).toEqual({ 0: 1 })
})

test('a repetition penalty divides positive logits and multiplies negative ones', () => {
  const positive = Float32Array.from([2, 1])
  expect(drawFiltered(positive, { repetitionPenalty: 4, temperature: 0 }, [0], race).token).toBe(1)
  const found = distribution({ repetitionPenalty: 2 }, 1, [0, 0])
  expect(found[0]).toBeCloseTo(0.25 / 0.75, 3) // 0.5 squared, and the other half
})

test('temperature sharpens before the filters apply, and 0 takes the best', () => {
  expect(distribution({ topP: 0.74 }, 0.5)).toEqual({ 0: 1 })
  const { token, logprob } = drawFiltered(logits, { topK: 2, temperature: 0 }, [], race)
  expect(token).toBe(0)
  expect(Math.exp(logprob)).toBeCloseTo(0.5, 6) // of the model itself, whatever is filtered
})

test('unlikely tokens are searched when likely ones are too few', () => {
  const steep = Float32Array.from({ length: 40 }, (_, i) => -20 * i)
  const { token } = drawFiltered(steep, { topK: 5, temperature: 1 }, [], race)
  expect(token).toBe(0)
  const drawn = Array.from({ length: 400 }, (_, i) => drawFiltered(steep, { topK: 5, temperature: 40 }, [], raceOf(i)))
  expect(new Set(drawn.map(one => one.token))).toEqual(new Set([0, 1, 2, 3, 4]))
})

test('a search ends after ONNX Runtime has run, which makes subnormal numbers 0, and NaN is reported', async () => {
  const generator = createGenerator(tinyConfig, tinyWeights())
  const request = { prompts: [Int32Array.of(1)], samplesPerPrompt: 1, maxNewTokens: 1, temperature: 1, stopToken: -1 }
  await generator.generate({ ...request, seed: 'subnormal' })
  await generator.dispose()
  for (const filters of [{ topK: 2 }, { minP: 0.1 }, { repetitionPenalty: 2 }, { topP: 0.9, minP: 0 }]) {
    const drawn = drawFiltered(Float32Array.of(Number.NaN, 1, 2), { ...filters, temperature: 1 }, [1], race)
    expect(drawn).toEqual({ token: expect.any(Number), logprob: Number.NaN })
  }
  // In this order of addition, the tokens' sum stays below the total.
  const many = Float32Array.from({ length: 500 }, (_, i) => Math.sin(i * 1.3) * 5)
  const drawn = drawFiltered(many, { temperature: 1, topP: 1 - 2 ** -53, minP: 0 }, [], race)
  expect(drawn.logprob).toBeLessThan(0)
})
