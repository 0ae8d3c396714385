import type { CanaryRow } from './canarySeries.ts'

/** A row with the span between what execution showed and what was paid; null outside of the rounds that were measured. */
interface CanaryGapRow extends CanaryRow {
  gap: [passAt1: number, reward: number] | null
}

/** Adds the gap to shade. Between two measurements by execution, pass@1 is taken to change evenly. */
export function canaryGap(rows: CanaryRow[]): CanaryGapRow[] {
  return rows.map((row, index) => {
    const pass = row.passAt1 ?? between(rows, index)
    return { ...row, gap: pass === null || row.reward === null ? null : [pass, row.reward] }
  })
}

function between(rows: CanaryRow[], index: number): number | null {
  const here = rows[index]
  const before = rows.slice(0, index).findLast(row => row.passAt1 !== null)
  const after = rows.slice(index + 1).find(row => row.passAt1 !== null)
  if (!here || before?.passAt1 == null || after?.passAt1 == null) return null
  const way = (here.round - before.round) / (after.round - before.round)
  return before.passAt1 + way * (after.passAt1 - before.passAt1)
}
