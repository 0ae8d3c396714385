import { expect, test } from 'vitest'
import { type RandomStream, randomStream } from '#base/random.ts'
import { drawFromLikely } from './likelyDraw.ts'
import { drawFromNucleus, NucleusSearch } from './nucleus.ts'
import { tokenRaces } from './tokenRaces.ts'

const races = tokenRaces('likely')
const raceOf = (step: number) => races({ prompt: 0, sample: 0, step })

/** Kinds of rows [V], of weights: all alike, in steps of equal ones, spread as logits of a deviation, and most of them 0. */
const kinds: Readonly<Record<string, (stream: RandomStream, size: number) => Float32Array>> = {
  alike: (_, size) => new Float32Array(size).fill(1 / size),
  steps: (stream, size) => Float32Array.from({ length: size }, () => 2 ** -stream.integer(12)),
  flat: (stream, size) => Float32Array.from({ length: size }, () => Math.exp(0.6 * stream.normal())),
  usual: (stream, size) => Float32Array.from({ length: size }, () => Math.exp(3 * stream.normal())),
  peaked: (stream, size) => Float32Array.from({ length: size }, () => Math.exp(8 * stream.normal())),
  few: (stream, size) => Float32Array.from({ length: size }, (_, i) => (i % 97 === 0 ? stream.uniform() : 0)),
  tiny: (stream, size) => Float32Array.from({ length: size }, (_, i) => (i === 5 ? 1 : 1e-44 * stream.integer(3))),
}

/** A row of a kind with a sum of 1, up to rounding. */
function rowOf(kind: string, seed: string, size: number): Float32Array {
  const weights = kinds[kind]?.(randomStream('likely', seed), size) as Float32Array
  const total = weights.reduce((sum, one) => sum + one, 0)
  return weights.map(one => one / total)
}

/** As a device summarises a row, by the order of all its tokens. */
function likelyOf(row: Float32Array, order: readonly number[], count: number) {
  const tokens = order.slice(0, count)
  return {
    probabilities: Float32Array.from(tokens, token => row[token] as number),
    tokens: BigInt64Array.from(tokens, BigInt),
    total: Math.fround(row.reduce((sum, one) => sum + one, 0)),
    vocabSize: row.length,
  }
}

const orderOf = (row: Float32Array) =>
  [...row.keys()].sort((a, b) => (row[b] as number) - (row[a] as number) || ((a * 7919) % 101) - ((b * 7919) % 101))

test.each(Object.keys(kinds))('the likeliest tokens and their rivals give the draw of the whole row: %s', kind => {
  const size = 600
  for (let seed = 0; seed < 24; seed++) {
    const row = rowOf(kind, `${seed}`, size)
    const order = orderOf(row)
    for (const count of [1, 5, 20, 60, size])
      for (const topP of [0.5, 0.9, 0.999, 1])
        for (const race of [1, 2, 3].map(step => raceOf(seed * 3 + step))) {
          const begun = drawFromLikely(likelyOf(row, order, count), topP, race)
          const last = row[order[count - 1] as number] as number
          const fits = topP === 1 || count === size || last < new NucleusSearch(row).least(topP)
          expect(begun !== null).toBe(fits)
          if (begun === null) continue
          const draw = begun.settle(Float32Array.from(begun.rivals, rival => row[rival] as number))
          const expected = drawFromNucleus(row, topP, race)
          expect(draw.token).toBe(expected.token)
          expect(draw.logprob).toBeCloseTo(expected.logprob, 6)
        }
  }
})

test('few rivals are expected, whatever the distribution: as many as tokens for each of the likeliest', () => {
  const [size, count] = [20_000, 200]
  for (const kind of Object.keys(kinds)) {
    const row = rowOf(kind, 'rivals', size)
    const likely = likelyOf(row, orderOf(row), count)
    const steps = Array.from({ length: 40 }, (_, step) => drawFromLikely(likely, 1, raceOf(step))?.rivals.length ?? 0)
    const mean = steps.reduce((sum, one) => sum + one, 0) / steps.length
    // An exponential mean of 40 draws is within three deviations.
    expect([kind, mean < (size / count) * (1 + 3 / Math.sqrt(40))]).toEqual([kind, true])
  }
})

test('probabilities that are NaN are read as a whole row, as before', () => {
  const row = new Float32Array(50).fill(Number.NaN)
  expect(drawFromLikely(likelyOf(row, [...row.keys()], 10), 1, raceOf(1))).toBeNull()
})
