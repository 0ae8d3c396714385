import { expect, test } from 'vitest'
import { NETWORKS } from '../deploy/networks.ts'
import { allUntil, EMISSION, fewerEachRound, lastCapture, playTurn } from './lastCapture.ts'

const YEAR_SECONDS = 31_536_000
const YEAR = YEAR_SECONDS / 600
const isPublic = (name: string) => name !== 'local'

test.each(Object.keys(NETWORKS).filter(isPublic))(
  'the bootstrap of %s decides at most a fiftieth of what its first year emits',
  name => {
    const { bootstrapRounds, roundSeconds } = NETWORKS[name] as (typeof NETWORKS)[string]
    const yearRounds = YEAR_SECONDS / roundSeconds
    expect(bootstrapRounds / yearRounds).toBeLessThan(0.02)
    // A role that turns later takes what is left of bootstrap, and then has fewer seats than the others.
    const last = lastCapture(allUntil(bootstrapRounds), yearRounds)
    expect(last).toBe(bootstrapRounds / 2 - 1)
    const { taken, part } = playTurn(allUntil(bootstrapRounds), 0.75 * bootstrapRounds, yearRounds)
    expect(taken).toBeLessThan(0.26 * bootstrapRounds * EMISSION)
    expect(part).toBeLessThan(0.01)
  },
)

test('seats that change hands step by step keep a swarm no better than a change at once after 0.73 of the rounds', () => {
  const bootstrap = 4_032
  expect(lastCapture(allUntil(bootstrap), YEAR)).toBe(2_015)
  expect(lastCapture(fewerEachRound(bootstrap), YEAR)).toBe(1_471)
  expect(lastCapture(allUntil(0.73 * bootstrap), YEAR)).toBe(1_471)
})

test('an emission that grows with bootstrap leaves more to a role that turns late', () => {
  const bootstrap = 4_032
  const growing = (round: number) => EMISSION * Math.min(1, round / bootstrap)
  expect(lastCapture(fewerEachRound(bootstrap), YEAR, growing)).toBe(1_909)
  expect(lastCapture(allUntil(bootstrap), YEAR, growing)).toBe(2_851)
})
