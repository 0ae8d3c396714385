import type { CanaryPoint } from '#sources/gateway.ts'

type Judge = Pick<
  NonNullable<CanaryPoint['judge']>,
  'truePositives' | 'falsePositives' | 'falseNegatives' | 'trueNegatives'
>

/** The share of answers on which judge and execution agree; null without answers. */
export function agreement({ truePositives, falsePositives, falseNegatives, trueNegatives }: Judge): number | null {
  const agreed = truePositives + trueNegatives
  const answers = agreed + falsePositives + falseNegatives
  return answers === 0 ? null : agreed / answers
}

/** The judge's counts over the canaries of the newest round that has them; null if none has. */
export function newestJudge(points: readonly CanaryPoint[]): (Judge & { round: number }) | null {
  const judged = points.filter(({ judge }) => judge !== undefined)
  const round = Math.max(-1, ...judged.map(point => point.round))
  if (round < 0) return null
  const sum = { truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 0 }
  for (const { judge } of judged.filter(point => point.round === round))
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += judge?.[name] ?? 0
  return { ...sum, round }
}
