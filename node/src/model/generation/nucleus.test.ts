import { expect, test } from 'vitest'
import { randomStream } from '#core/random.ts'
import { placeInNucleus } from '../proof/placeInNucleus.ts'
import { toleranceAt } from '../proof/samplingTolerances.ts'
import { verifySampling } from '../proof/verifySampling.ts'
import { drawFromLikely, drawFromNucleus, NucleusSearch } from './nucleus.ts'

/** Probabilities of a vocabulary whose logits are wide, some of them equal. */
function probabilitiesOf(size: number, seed: string): Float32Array {
  const stream = randomStream('nucleus', seed)
  const odds = Array.from({ length: size }, () => Math.exp(Math.round(-200 * stream.uniform()) / 8))
  const total = odds.reduce((a, b) => a + b, 0)
  return Float32Array.from(odds, x => x / total)
}

/** By the definition: tokens before which likelier ones have less than the share. */
function nucleusOf(probabilities: Float32Array, topP: number): number[] {
  const total = probabilities.reduce((a, b) => a + b, 0)
  const before = (p: number) => probabilities.reduce((sum, other) => (other > p ? sum + other : sum), 0)
  return [...probabilities.keys()].filter(token => before(probabilities[token] as number) < topP * total)
}

test.each([1e-9, 0.2, 0.9, 0.999, 0.9999])('a nucleus is that of the definition, top-p %d', topP => {
  for (const seed of ['a', 'b', 'c', 'd', 'e']) {
    const probabilities = probabilitiesOf(500, seed)
    const { least, mass } = new NucleusSearch(probabilities).nucleus(topP)
    const kept = nucleusOf(probabilities, topP)
    expect([...probabilities.keys()].filter(token => (probabilities[token] as number) >= least)).toEqual(kept)
    expect(mass).toBeCloseTo(
      kept.reduce((sum, token) => sum + (probabilities[token] as number), 0),
      12,
    )
  }
})

test('tokens come as often as they are likely within the nucleus, and lie where they were drawn', () => {
  const probabilities = Float32Array.of(0.0625, 0.5, 0.0625, 0.25, 0.125)
  const seen = new Map<number, number>()
  for (let i = 0; i < 1400; i++) {
    const uniform = (i + 0.5) / 1400
    const { token, logprob } = drawFromNucleus(probabilities, 0.8, uniform)
    seen.set(token, (seen.get(token) ?? 0) + 1)
    const place = placeInNucleus(probabilities, 0.8, token)
    expect(place.logprob).toBeCloseTo(logprob, 12)
    expect(place).toMatchObject({ outside: 0, unsure: 0 })
    expect(uniform).toBeGreaterThanOrEqual(place.below)
    expect(uniform).toBeLessThan(place.below + Math.exp(logprob))
  }
  expect(Object.fromEntries(seen)).toEqual({ 1: 800, 3: 400, 4: 200 })
})

test('a token is outside by how much the likelier ones exceed top-p', () => {
  const probabilities = Float32Array.of(0.0625, 0.5, 0.0625, 0.25, 0.125)
  expect(placeInNucleus(probabilities, 0.8, 0).outside).toBeCloseTo(0.075, 6)
  expect(placeInNucleus(probabilities, 0.74, 4).outside).toBeCloseTo(0.01, 6)
  expect(placeInNucleus(probabilities, 0.76, 4).outside).toBe(0)
})

test('where kernels disagree on the edge of a nucleus, what they disagree on is forgiven', () => {
  // The last two are as good as equal: another kernel takes the one for the other, and so for a share that is as good as reached.
  const even = Float32Array.of(0.5, 0.25, 0.125 - 1e-6, 0.125 + 1e-6)
  expect(placeInNucleus(even, 0.8, 2)).toMatchObject({ outside: 0, unsure: expect.closeTo(0.125 / 1, 3) })
  const reached = Float32Array.of(0.5, 0.25, 0.15, 0.1)
  const { outside, unsure } = placeInNucleus(reached, 0.750001, 1)
  expect([outside, unsure]).toEqual([0, expect.closeTo(0.15 / 0.9, 3)])
  expect(placeInNucleus(reached, 0.749999, 1).unsure).toBeCloseTo(0.15 / 0.75, 3)
  expect(placeInNucleus(reached, 0.7, 1).unsure).toBe(0)
})

test.each([0.9, 0.99, 0.999])('no draw of another kernel is refuted, top-p %d', topP => {
  const stream = randomStream('nucleus', 'kernels')
  let unsureDraws = 0
  for (const seed of Array.from({ length: 40 }, (_, i) => `${i}`)) {
    const probabilities = probabilitiesOf(300, seed)
    const others = probabilities.map(p => p * (1 + 4e-6 * (stream.uniform() - 0.5)))
    for (let i = 0; i < 25; i++) {
      const uniform = stream.uniform()
      const { token, logprob } = drawFromNucleus(others, topP, uniform)
      const place = placeInNucleus(probabilities, topP, token)
      const off = Math.max(place.below - uniform, uniform - place.below - Math.exp(place.logprob))
      expect(place.outside).toBe(0)
      expect(off).toBeLessThanOrEqual(place.unsure + 1e-5)
      expect(Math.abs(place.logprob - logprob)).toBeLessThanOrEqual(place.unsure + 1e-4)
      if (place.unsure > 0) unsureDraws++
    }
  }
  expect(unsureDraws).toBeGreaterThan(0)
})

test('the likeliest tokens give the draw of the whole vocabulary, or none where the nucleus may be larger', () => {
  let missing = 0
  for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const probabilities = probabilitiesOf(400, seed)
    const order = [...probabilities.keys()].sort((a, b) => (probabilities[b] as number) - (probabilities[a] as number))
    const total = probabilities.reduce((a, b) => a + b, 0)
    for (const count of [1, 5, 20, 60, 400])
      for (const topP of [0.5, 0.9, 0.999])
        for (const uniform of [0.001, 0.3, 0.77, 0.9999]) {
          const tokens = order.slice(0, count)
          const likely = Float32Array.from(tokens, token => probabilities[token] as number)
          const share = {
            probabilities: likely,
            tokens: BigInt64Array.from(tokens, BigInt),
            total,
            isWhole: count === 400,
          }
          const draw = drawFromLikely(share, topP, uniform)
          const { least } = new NucleusSearch(probabilities).nucleus(topP)
          const fits = count === 400 || (likely.at(-1) as number) < least
          expect(draw === null).toBe(!fits)
          if (draw === null) missing++
          else {
            const expected = drawFromNucleus(probabilities, topP, uniform)
            expect(draw.token).toBe(expected.token)
            expect(draw.logprob).toBeCloseTo(expected.logprob, 12)
          }
        }
  }
  expect(missing).toBeGreaterThan(50)
})

test.each([0.99, 0.999])('a policy that makes all tokens alike draws none of its choice, top-p %d', topP => {
  const size = 4_096
  const probabilities = new Float32Array(size).fill(1 / size)
  const tolerance = toleranceAt(topP)
  const chosen = Array.from({ length: 64 }, (_, at) => at * 64)
  const follows = chosen.filter(token => {
    const { logprob, below, outside, unsure } = placeInNucleus(probabilities, topP, token)
    const [logprobs, place] = [Float32Array.of(logprob), (value: number) => Float32Array.of(value)]
    const draws = { logprobs, below: place(below), edge: { outside: place(outside), unsure: place(unsure) } }
    return verifySampling(draws, { uniforms: [0.5], logprobs }, tolerance).follows !== false
  })
  // What another kernel draws from them, which breaks the ties by its rounding, follows.
  const stream = randomStream('nucleus', 'alike')
  const others = probabilities.map(p => p * (1 + 4e-6 * (stream.uniform() - 0.5)))
  for (let i = 0; i < 200; i++) {
    const uniform = stream.uniform()
    const { token, logprob } = drawFromNucleus(others, topP, uniform)
    const place = placeInNucleus(probabilities, topP, token)
    const off = Math.max(place.below - uniform, uniform - place.below - Math.exp(place.logprob))
    expect([place.outside, off <= place.unsure + 1e-5]).toEqual([0, true])
    expect(Math.abs(place.logprob - logprob)).toBeLessThanOrEqual(place.unsure + 1e-4)
  }
  // Those that lie as near to the random number as the cut of a nucleus can move them: four times what is cut.
  expect(follows.length).toBeGreaterThan(0)
  expect(follows.length).toBeLessThanOrEqual(64 * 8 * (1 - topP) + 2)
})
