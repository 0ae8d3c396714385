import type { CanaryPoint } from '#sources/gateway.ts'

/** The judge's scores and the results of execution in one round, as shares from 0 to 1. */
export interface CanaryRow {
  round: number
  reward: number | null
  passAt1: number | null
}

export interface CanarySeries {
  /** Null for the mean over all solvers. */
  peerKey: string | null
  name: string
  rows: CanaryRow[]
}

function mean(values: (number | null)[]): number | null {
  const known = values.filter(value => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}

function toRows(points: CanaryPoint[]): CanaryRow[] {
  const byRound = Map.groupBy(points, point => point.round)
  return [...byRound]
    .sort(([a], [b]) => a - b)
    .map(([round, of]) => ({
      round,
      reward: mean(of.map(point => point.reward)),
      passAt1: mean(of.map(point => point.passAt1)),
    }))
}

/** One series for the mean over the solvers, then one for each solver by name. Rounds in order. */
export function canarySeries(points: CanaryPoint[]): CanarySeries[] {
  if (points.length === 0) return []
  const bySolver = [...Map.groupBy(points, point => point.peerKey)].map(([peerKey, of]) => ({
    peerKey,
    name: of[0]?.name ?? peerKey,
    rows: toRows(of),
  }))
  return [
    { peerKey: null, name: 'All solvers', rows: toRows(points) },
    ...bySolver.sort((a, b) => a.name.localeCompare(b.name)),
  ]
}
