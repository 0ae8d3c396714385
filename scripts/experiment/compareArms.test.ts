import { expect, test } from 'vitest'
import { compareArms, interval, passAt, type Runs, spentTo } from './compareArms.ts'

/** A run of two peers whose pass@1 is 0.1 apart, measured after every 100 tokens, beginning at 0.4. */
const run = (...passAt1: number[]) => ofSeed(1, ...passAt1)
const ofSeed = (seed: number, ...passAt1: number[]): Runs[number] => ({
  seed,
  points: [0.4, ...passAt1].map((mean, round) => ({
    ...{ round, tokens: 100 * round, updates: round, taken: 0, seconds: 0 },
    passAt1: [mean - 0.05, mean + 0.05],
    judged: [],
  })),
  refused: {},
})

test('an interval is Student’s over seeds, and one seed has none', () => {
  expect(interval([0.5])).toEqual({ mean: 0.5, half: null })
  const { mean, half } = interval([0.4, 0.5, 0.6])
  expect([mean, half]).toEqual([expect.closeTo(0.5, 9), expect.closeTo((4.303 * 0.1) / Math.sqrt(3), 9)])
})

test('pass@1 and tokens are read on straight lines between measurements', () => {
  expect(passAt(run(0.5, 0.7), 150)).toBeCloseTo(0.6)
  expect(passAt(run(0.5, 0.7), 1e9)).toBeCloseTo(0.7)
  expect(spentTo(run(0.5, 0.7), 0.6, 'tokens')).toBeCloseTo(150)
  expect(spentTo(run(0.5, 0.7), 0.6, 'round')).toBeCloseTo(1.5)
  expect(spentTo(run(0.5, 0.7), 0.8, 'tokens')).toBeNull()
  expect(spentTo(run(0.5, 0.7), 0.4, 'tokens')).toBe(0)
})

test('rows hold where gains are as large as their bars and intervals are apart', () => {
  const solo = [ofSeed(1, 0.45, 0.5), ofSeed(2, 0.46, 0.51), ofSeed(3, 0.44, 0.49)]
  const sharing = [ofSeed(1, 0.55, 0.7), ofSeed(2, 0.56, 0.71), ofSeed(3, 0.54, 0.69)]
  const noisy = [run(0.5, 0.5), run(0.5, 0.7), run(0.5, 0.6)]
  const runs = { solo, sharing, 'solo-updates': noisy, 'solo-filtered': sharing }
  const rows = compareArms(new Map(Object.entries(runs)), { equalTokens: 2, apart: true })
  expect(rows.map(({ name, value, ok }) => [name, Number(value?.toFixed(2)), ok])).toEqual([
    ['tokens-to-solo-final', 0.33, true],
    ['gain-equal-tokens', 3, true],
    ['gain-equal-updates', 1.5, false],
    ['gain-filtered-solo', 1, false],
  ])
  expect(rows[2]?.conditions).toContain('intervals overlap')
  const oneSeed = compareArms(new Map(Object.entries({ solo: solo.slice(0, 1), sharing: sharing.slice(0, 1) })), {
    equalTokens: 2,
    apart: true,
  })
  expect(oneSeed[1]).toMatchObject({ ok: false, conditions: expect.stringContaining('no interval with one seed') })
  const missing = compareArms(new Map(Object.entries({ solo })), { equalTokens: 2, apart: true })
  expect(missing.map(({ value, ok }) => [value, ok])).toEqual(Array(4).fill([null, false]))
})

test('tokens are compared between runs of the same seed', () => {
  // Solo's second seed generates half as much.
  const { points, ...rest } = ofSeed(2, 0.45, 0.5)
  const shorter = { ...rest, points: points.map(point => ({ ...point, tokens: point.tokens / 2 })) }
  const runs = { solo: [shorter], sharing: [ofSeed(1, 0.9), ofSeed(2, 0.5)] }
  const [row] = compareArms(new Map(Object.entries(runs)), { equalTokens: 2, apart: false })
  expect(row).toMatchObject({ value: 1, conditions: expect.stringContaining('1 seeds') })
})

test('the gain at as many updates is over the best solver alone, and tokens come with updates and time', () => {
  const runs = {
    solo: [ofSeed(1, 0.45, 0.5)],
    sharing: [ofSeed(1, 0.6, 0.7)],
    'solo-updates': [ofSeed(1, 0.5, 0.5)],
    'solo-four': [ofSeed(1, 0.5, 0.6)],
  }
  const seconds = new Map(Object.entries({ solo: 1, sharing: 5 }))
  const [tokens, , updates] = compareArms(new Map(Object.entries(runs)), { equalTokens: 2, apart: false }, seconds)
  expect(updates).toMatchObject({ value: expect.closeTo(1.5, 9), ok: true })
  expect(updates?.conditions).toContain('; 3.00 against solo-updates, 1.50 against solo-four')
  expect(tokens?.value).toBeCloseTo(0.25, 9)
  expect(tokens?.conditions).toContain("0.25 times solo's updates and taken 1.25 times its seconds")
  expect(tokens?.conditions).toContain('until it has the 0.600 of solo-four, 0.500 of its tokens (1 seeds)')
})
