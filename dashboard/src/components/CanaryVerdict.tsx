import Link from 'next/link'
import type { CanarySeries } from '@/merge/canarySeries.ts'
import { canaryVerdict } from '@/merge/canaryVerdict.ts'

function signed(change: number): string {
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(2)}`
}

/** What the two lines say together, in words, so that nobody has to read it off colours. */
export function CanaryVerdict({ series: { peerKey, name, rows } }: { series: CanarySeries }) {
  const verdict = canaryVerdict(rows)
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
      <span className="casual text-base font-semibold">
        {peerKey === null ? name : <Link href={`/peers/${peerKey}`}>{name}</Link>}
      </span>
      {verdict.kind === 'tooEarly' && <span className="text-soft">one more measurement is needed</span>}
      {verdict.kind === 'level' && <span className="text-soft">no clear change yet</span>}
      {verdict.kind === 'together' && (
        <span className="text-leaf">
          rising together: reward {signed(verdict.rewardChange)}, execution {signed(verdict.passChange)}
        </span>
      )}
      {verdict.kind === 'fooling' && (
        <strong className="font-semibold text-thorn">
          may be fooling its judge: reward {signed(verdict.rewardChange)}, execution {signed(verdict.passChange)}
        </strong>
      )}
    </p>
  )
}
