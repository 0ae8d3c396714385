import { agreement, newestJudge } from '#merge/canary/judgeAgreement.ts'
import { formatShare } from '#merge/format.ts'
import type { CanaryPoint } from '#sources/gateway.ts'

/** Share of the newest held-out answers on which the judge and execution agreed; nothing before the first. */
export function JudgeAgreement({ points }: { points: readonly CanaryPoint[] }) {
  const judge = newestJudge(points)
  const share = judge && agreement(judge)
  if (judge === null || share === null) return null
  return (
    <p className="mt-4 max-w-prose text-soft">
      In round {judge.round} the judge and execution agreed on {formatShare(share)} of the answers: it called{' '}
      {judge.falsePositives} wrong ones right, and {judge.falseNegatives} right ones wrong, by the scores that the
      solvers report.
    </p>
  )
}
