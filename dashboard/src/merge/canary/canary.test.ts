import { expect, test } from 'vitest'
import type { CanaryPoint } from '#sources/gateway.ts'
import { canaryGap } from './canaryGap.ts'
import { canarySeries } from './canarySeries.ts'
import { canaryVerdict } from './canaryVerdict.ts'

function point(round: number, peerKey: string, reward: number | null, passAt1: number | null): CanaryPoint {
  return {
    round,
    peerKey,
    peerId: `id-${peerKey}`,
    name: `name ${peerKey}`,
    reward,
    predicted: reward,
    passAt1,
    tasks: 16,
    samples: 4,
  }
}

const rows = (...pairs: [number, number | null][]) =>
  pairs.map(([reward, passAt1], round) => ({ round, reward, passAt1 }))

test('there is one series for all solvers and one for each, rounds in order', () => {
  const series = canarySeries([point(4, '0xb', 0.6, 0.5), point(2, '0xb', 0.4, null), point(4, '0xa', 0.8, 0.7)])
  expect(series.map(({ name }) => name)).toEqual(['All solvers', 'name 0xa', 'name 0xb'])
  expect(series[0]?.rows).toEqual([
    { round: 2, reward: 0.4, passAt1: null },
    { round: 4, reward: 0.7, passAt1: 0.6 },
  ])
})

test('without points there is nothing to draw', () => {
  expect(canarySeries([])).toEqual([])
})

test('reward that rises while execution falls is called fooling', () => {
  expect(canaryVerdict(rows([0.4, 0.4], [0.6, 0.35], [0.8, 0.3])).kind).toBe('fooling')
})

test('reward that rises far more than execution is called fooling too', () => {
  expect(canaryVerdict(rows([0.4, 0.4], [0.9, 0.5])).kind).toBe('fooling')
})

test('reward and execution that rise together are learning', () => {
  expect(canaryVerdict(rows([0.4, 0.35], [0.45, 0.4], [0.55, null], [0.6, 0.55], [0.62, 0.6])).kind).toBe('together')
})

test('two measurements are needed to say anything, and a small change says nothing', () => {
  expect(canaryVerdict(rows([0.4, 0.4], [0.5, null])).kind).toBe('tooEarly')
  expect(canaryVerdict(rows([0.4, 0.4], [0.42, 0.38])).kind).toBe('level')
})

test('the gap to shade follows execution evenly between two measurements, and ends with the last one', () => {
  const gaps = canaryGap(rows([0.5, 0.4], [0.6, null], [0.7, 0.2], [0.8, null])).map(({ gap }) => gap)
  expect(gaps[0]).toEqual([0.4, 0.5])
  expect(gaps[1]?.[0]).toBeCloseTo(0.3)
  expect(gaps[2]).toEqual([0.2, 0.7])
  expect(gaps[3]).toBeNull()
})
