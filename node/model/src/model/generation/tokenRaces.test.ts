import { expect, test } from 'vitest'
import { tokenRaces } from './tokenRaces.ts'

const races = tokenRaces('races')
const raceOf = (step: number) => races({ prompt: 0, sample: 0, step })

test.each([
  ['by all tokens', 0.01, 3_000],
  ['by all words', 4e-6, 20_000],
  ['a bound of half a word', 2 ** -33, 20_000],
  ['no bound', 7, 500],
  ['none', 0, 500],
])('tokens before a bound are those whose early time is below it, %s', (_, bound, size) => {
  let found = 0
  for (let step = 0; step < 100; step++) {
    const race = raceOf(step)
    const expected = Array.from({ length: size }, (_, token) => token).filter(token => race.early(token) < bound)
    expect(race.before(bound, size).sort((a, b) => a - b)).toEqual(expected)
    found += expected.length
  }
  expect(found > 0).toBe(bound > 1e-7)
})

test('the bound of a token excludes it, and the next number includes it', () => {
  const race = raceOf(1)
  for (const token of [0, 1, 7, 151_935]) {
    const early = race.early(token)
    expect(race.before(early, 151_936)).not.toContain(token)
    expect(race.before(early * (1 + 2 ** -52), 151_936)).toContain(token)
  }
})
