import Link from 'next/link'
import type { CanarySeries } from '#merge/canary/canarySeries.ts'
import { canaryVerdict } from '#merge/canary/canaryVerdict.ts'

function signed(change: number): string {
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(2)}`
}

/** The relation of the two lines in words, so that it does not depend on colour. */
export function CanaryVerdict({ series: { peerKey, name, rows } }: { series: CanarySeries }) {
  const verdict = canaryVerdict(rows)
  const changes =
    verdict.kind === 'tooEarly' ? '' : `reward ${signed(verdict.rewardChange)}, execution ${signed(verdict.passChange)}`
  return (
    <p className="text-sm">
      <span className="casual mr-2 text-base font-semibold">
        {peerKey === null ? name : <Link href={`/peers/${peerKey}`}>{name}</Link>}
      </span>
      {verdict.kind === 'tooEarly' && <span className="text-soft">needs one more measurement</span>}
      {verdict.kind === 'level' && <span className="text-soft">no clear change yet: {changes}</span>}
      {verdict.kind === 'together' && <span className="text-leaf">rising together: {changes}</span>}
      {verdict.kind === 'fooling' && (
        <strong className="font-semibold text-thorn">
          {peerKey === null ? 'reward outruns execution' : 'may be fooling its judge'}: {changes}
        </strong>
      )}
    </p>
  )
}
