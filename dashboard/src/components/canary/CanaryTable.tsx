import { agreement } from '#merge/canary/judgeAgreement.ts'
import { formatShare } from '#merge/format.ts'
import type { CanaryPoint } from '#sources/gateway.ts'
import { CanaryHeadLine } from './CanaryHeadLine.tsx'

/** Newest rows that the table has: it is part of the page also while it is closed. */
const SHOWN_ROWS = 100

const TITLES = [
  'Round',
  'Solver',
  'Reward',
  'Predicted',
  'Pass@1',
  'Judge right',
  'Paid wrong',
  'Unpaid right',
  'Tasks',
  'Samples',
]

/** The share of answers that the judge and execution agree on, wrong ones that the judge calls right, and right ones that it calls wrong. */
function judgeCells({ judge }: CanaryPoint): [string, string | number][] {
  if (judge === undefined)
    return [
      ['right', '–'],
      ['wrong', '–'],
      ['unpaid', '–'],
    ]
  return [
    ['right', formatShare(agreement(judge) ?? 0)],
    ['wrong', judge.falsePositives],
    ['unpaid', judge.falseNegatives],
  ]
}

/** The charts' newest numbers, for accessibility and for copying. */
export function CanaryTable({ points }: { points: CanaryPoint[] }) {
  const rows = points.toSorted((a, b) => b.round - a.round || a.name.localeCompare(b.name)).slice(0, SHOWN_ROWS)
  const share = (value: number | null) => (value === null ? '–' : formatShare(value))
  return (
    <details className="mt-6">
      <summary className="text-sm font-medium text-soft underline">Show the numbers</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it. */}
      <section className="mt-3 max-h-96 overflow-auto" tabIndex={0} aria-label="Canary by round and solver">
        <table className="w-full min-w-xl text-left text-sm">
          <CanaryHeadLine titles={TITLES} />
          <tbody>
            {rows.map(point => (
              <tr key={`${point.round} ${point.peerKey}`} className="border-b border-line">
                <td className="figures py-1.5 pr-4">{point.round}</td>
                <th scope="row" className="casual py-1.5 pr-4 font-medium">
                  {point.name}
                </th>
                <td className="figures py-1.5 pr-4">{share(point.reward)}</td>
                <td className="figures py-1.5 pr-4">{share(point.predicted)}</td>
                <td className="figures py-1.5 pr-4">{share(point.passAt1)}</td>
                {judgeCells(point).map(([title, cell]) => (
                  <td key={title} className="figures py-1.5 pr-4">
                    {cell}
                  </td>
                ))}
                <td className="figures py-1.5 pr-4">{point.tasks}</td>
                <td className="figures py-1.5 pr-4">{point.samples}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {points.length > SHOWN_ROWS && (
        <p className="mt-2 text-sm text-soft">
          The newest {SHOWN_ROWS} of {points.length} measurements; <code>/v1/canary</code> of a gateway has all.
        </p>
      )}
    </details>
  )
}
