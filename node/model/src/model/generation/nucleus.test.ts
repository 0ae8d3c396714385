import { expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { placeInRace } from '../proof/placeInRace.ts'
import { samplingTolerances } from '../proof/samplingTolerances.ts'
import { drawFromNucleus, NucleusSearch, TIED } from './nucleus.ts'
import { tokenRaces } from './tokenRaces.ts'

const tolerance = samplingTolerances.float32
const races = tokenRaces('nucleus')
const raceOf = (step: number) => races({ prompt: 0, sample: 0, step })

/** Probabilities of a vocabulary whose logits are wide, some of them equal. */
function probabilitiesOf(size: number, seed: string): Float32Array {
  const stream = randomStream('nucleus', seed)
  const odds = Array.from({ length: size }, () => Math.exp(Math.round(-200 * stream.uniform()) / 8))
  const total = odds.reduce((a, b) => a + b, 0)
  return Float32Array.from(odds, x => x / total)
}

/** By the definition: tokens before which likelier ones, those tied with them left out, have less than the share. */
function nucleusOf(probabilities: Float32Array, topP: number): number[] {
  const total = probabilities.reduce((a, b) => a + b, 0)
  const before = (p: number) => probabilities.reduce((sum, other) => (other > p * (1 + TIED) ? sum + other : sum), 0)
  return [...probabilities.keys()].filter(token => before(probabilities[token] as number) < topP * total)
}

test.each([1e-9, 0.2, 0.9, 0.999, 0.9999])('a nucleus is that of the definition, top-p %d', topP => {
  for (const seed of ['a', 'b', 'c', 'd', 'e']) {
    const probabilities = probabilitiesOf(500, seed)
    const least = new NucleusSearch(probabilities).least(topP)
    const { mass } = raceOf(0).winner(probabilities, least)
    const kept = nucleusOf(probabilities, topP)
    expect([...probabilities.keys()].filter(token => (probabilities[token] as number) >= least)).toEqual(kept)
    expect(mass).toBeCloseTo(
      kept.reduce((sum, token) => sum + (probabilities[token] as number), 0),
      12,
    )
  }
})

test('tokens come as often as they are likely within the nucleus, and are read as the first in their race', () => {
  const probabilities = Float32Array.of(0.0625, 0.5, 0.0625, 0.25, 0.125)
  const seen = new Map<number, number>()
  for (let i = 0; i < 3_500; i++) {
    const { token, logprob } = drawFromNucleus(probabilities, 0.8, raceOf(i))
    seen.set(token, (seen.get(token) ?? 0) + 1)
    if (i >= 100) continue
    const place = placeInRace(probabilities, token, raceOf(i), { topP: 0.8, tolerance })
    expect(place).toMatchObject({ behind: 0, behindAtLeast: 0, unsure: 0 })
    expect(place.logprob).toBeCloseTo(logprob, 12)
  }
  expect([...seen.keys()].sort()).toEqual([1, 3, 4])
  // Standard deviations are below 30.
  for (const [token, count] of [1, 3, 4].map(one => [one, seen.get(one)] as const))
    expect(Math.abs((count ?? 0) - 4_000 * (probabilities[token] as number))).toBeLessThan(100)
})

test('a token outside of the nucleus came in no race, unless kernels may disagree on it', () => {
  const probabilities = Float32Array.of(0.0625, 0.5, 0.0625, 0.25, 0.125)
  const place = (topP: number, token: number) => placeInRace(probabilities, token, raceOf(1), { topP, tolerance })
  expect(place(0.8, 0)).toMatchObject({ behind: Number.POSITIVE_INFINITY, behindAtLeast: Number.POSITIVE_INFINITY })
  expect(place(0.74, 4).behindAtLeast).toBe(Number.POSITIVE_INFINITY)
  expect(place(0.75 - 5e-6, 4).behind).toBeLessThan(Number.POSITIVE_INFINITY)
  const onEdge = place(0.75 - 15e-6, 4)
  expect(onEdge.behind).toBe(Number.POSITIVE_INFINITY)
  expect(onEdge.behindAtLeast).toBeLessThan(Number.POSITIVE_INFINITY)
  expect(onEdge.unsure).toBe(0)
  // Seen from another token, the one on the edge may be there or not.
  expect(place(0.75 - 15e-6, 1).unsure).toBeCloseTo(0.125 / 0.75, 3)
  expect(place(0.8, 1).unsure).toBe(0)
})

test.each([0.9, 0.99, 0.999, 1])('no draw of another kernel is refuted, top-p %d', topP => {
  const stream = randomStream('nucleus', 'kernels')
  for (const seed of Array.from({ length: 40 }, (_, i) => `${i}`)) {
    const probabilities = probabilitiesOf(300, seed)
    const others = probabilities.map(p => p * (1 + 4e-4 * (stream.uniform() - 0.5)))
    for (let i = 0; i < 25; i++) {
      const { token, logprob } = drawFromNucleus(others, topP, raceOf(i))
      const place = placeInRace(probabilities, token, raceOf(i), { topP, tolerance })
      expect(place.behind).toBeLessThanOrEqual(tolerance.race)
      expect(Math.abs(place.logprob - logprob)).toBeLessThanOrEqual(place.unsure + tolerance.logprob)
    }
  }
})

/** Distributions that a policy is made to have, so that kernels disagree on much: all alike, and steps of which one ends at top-p. */
const made = (topP: number): [name: string, Float32Array][] => [
  ['all alike', new Float32Array(16_384).fill(2 ** -14)],
  ['a step to top-p', Float32Array.from({ length: 4_096 }, (_, i) => (i % 2 ? topP : 1 - topP) / 2_048)],
  [
    'steps as far apart as ties',
    Float32Array.from({ length: 4_096 }, (_, i) => (i % 2 ? 1 : 1 / (1 + TIED)) / 2_048 / (1 + 1 / (1 + TIED))),
  ],
]

test.each([0.99, 0.999, 1])(
  'no policy leaves more to choose from than tolerance and the rest beyond top-p, %d',
  topP => {
    const tokens = 60
    for (const [name, probabilities] of made(topP)) {
      let rivals = 0
      for (let i = 0; i < tokens; i++) {
        const { token } = drawFromNucleus(probabilities, topP, raceOf(i))
        rivals += placeInRace(probabilities, token, raceOf(i), { topP, tolerance }).rivals
      }
      // Three standard deviations above what is expected at most.
      const most = tokens * (tolerance.race + (1 - topP) / topP)
      expect([name, rivals <= most + 3 * Math.sqrt(most)]).toEqual([name, true])
    }
  },
)

test('two tokens of thousands alike are within x nats of each other with probability x', () => {
  const alike = new Float32Array(4_096).fill(2 ** -12)
  const wide = { topP: 1, tolerance: { ...tolerance, race: 0.05 } }
  let rivals = 0
  for (let i = 0; i < 1_000; i++) {
    const { token } = drawFromNucleus(alike, 1, raceOf(i))
    rivals += placeInRace(alike, token, raceOf(i), wide).rivals
  }
  expect(rivals).toBeGreaterThan(25)
  expect(rivals).toBeLessThan(80)
})

/** Probabilities of a large vocabulary. @param spread - how far tokens are apart, nats. */
function vocabularyOf(spread: number): Float32Array {
  const weights = Float32Array.from({ length: 151_936 }, (_, i) => Math.exp(spread * Math.sin(i * 12.9898)))
  const sum = weights.reduce((total, one) => total + one, 0)
  return weights.map(weight => weight / sum)
}

test.each([0, 1e-6, 1e-3, 0.03, 3])('the edge of a nucleus is exact for tokens that are %d nats apart', spread => {
  const probabilities = vocabularyOf(spread)
  const sorted = probabilities.toSorted().reverse()
  const total = sorted.reduce((sum, one) => sum + one, 0)
  const search = new NucleusSearch(probabilities)
  for (const topP of [0.2, 0.99, 0.999]) {
    let [at, above] = [0, 0]
    while (above + (sorted[at] as number) < topP * total) above += sorted[at++] as number
    // Sums in another order may end one token sooner or later.
    expect(sorted.slice(at - 1, at + 2)).toContain(search.last(topP))
  }
})

test('a policy that makes its vocabulary nearly alike takes little longer to check than another', () => {
  const race = tokenRaces('alike')({ prompt: 0, sample: 0, step: 0 })
  const leastMs = (spread: number) => {
    const probabilities = vocabularyOf(spread)
    const times = Array.from({ length: 3 }, () => {
      // Of the processor: other processes count in the time of a clock. Of many checks: one may be over between two readings.
      const before = process.threadCpuUsage()
      for (let check = 0; check < 8; check++)
        placeInRace(probabilities, 7, race, { topP: 0.999, tolerance: samplingTolerances.float32 })
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1_000
    })
    return Math.min(...times)
  }
  const usualMs = leastMs(3)
  const alikeMs = [0, 1e-6, 1e-3].map(leastMs)
  // It was 35 times as long while all that are alike were sorted; now 2 to 4 times.
  expect(Math.max(...alikeMs) / usualMs).toBeLessThan(12)
})
