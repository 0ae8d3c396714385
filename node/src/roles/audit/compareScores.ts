import type { LeafScore, PeerScore } from '#core/payloads/payloads.ts'

/** The leaf and the component in which a score sheet is furthest from what was derived here; thousandths. */
export type LeafDifference = { leaf: number; component: string; expectedMilli: number; foundMilli: number | null }

/**
 * Where a vote goes wrong.
 *
 * @param found - of the evaluator's score sheet.
 * @param expected - of the same leaves, here.
 * @returns null if all leaves are alike, so that only the vote differs.
 */
export function compareScores(found: readonly LeafScore[], expected: PeerScore['leaves']): LeafDifference | null {
  let furthest: { by: number; difference: LeafDifference } | null = null
  for (const leaf of expected) {
    const told = found.find(({ index }) => index === leaf.index)
    const names = new Set([...Object.keys(leaf.components), ...Object.keys(told?.components ?? {})])
    for (const component of names) {
      const expectedMilli = leaf.components[component] ?? 0
      const foundMilli = told === undefined ? null : (told.components[component] ?? 0)
      const by = Math.abs((foundMilli ?? 2000) - expectedMilli)
      if (by > 0 && (furthest === null || by > furthest.by))
        furthest = { by, difference: { leaf: leaf.index, component, expectedMilli, foundMilli } }
    }
  }
  return furthest?.difference ?? null
}
