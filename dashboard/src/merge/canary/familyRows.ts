import type { CanaryPoint } from '#sources/gateway.ts'

/** Held-out answers to the tasks of one family, of all solvers together. Shares from 0 to 1. */
interface FamilyRow {
  family: string
  /** Pass@1 by execution in the first round of canaries, and in the newest. */
  first: number | null
  newest: number
  samples: number
}

/** Pass@1 by family; null if no canary tells families. */
export function familyRows(
  points: readonly CanaryPoint[],
): { firstRound: number; newestRound: number; rows: FamilyRow[] } | null {
  const told = points.filter(({ families = [] }) => families.length > 0)
  if (told.length === 0) return null
  const rounds = told.map(({ round }) => round)
  const [firstRound, newestRound] = [Math.min(...rounds), Math.max(...rounds)]
  const [first, newest] = [countsOf(told, firstRound), countsOf(told, newestRound)]
  const rows = [...newest]
    .map(([family, { samples, passed }]) => {
      const before = first.get(family)
      return { family, first: before ? before.passed / before.samples : null, newest: passed / samples, samples }
    })
    .toSorted((a, b) => a.family.localeCompare(b.family))
  return { firstRound, newestRound, rows }
}

function countsOf(points: readonly CanaryPoint[], of: number): Map<string, { samples: number; passed: number }> {
  const families = points.filter(({ round }) => round === of).flatMap(point => point.families ?? [])
  const sum = (those: typeof families, name: 'samples' | 'passed') => those.reduce((all, one) => all + one[name], 0)
  const byFamily = Map.groupBy(families, ({ family }) => family)
  return new Map(
    [...byFamily].map(([family, those]) => [family, { samples: sum(those, 'samples'), passed: sum(those, 'passed') }]),
  )
}
