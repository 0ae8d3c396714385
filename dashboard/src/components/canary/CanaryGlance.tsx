import { canarySeries } from '#merge/canary/canarySeries.ts'
import { canaryVerdict } from '#merge/canary/canaryVerdict.ts'
import type { Canary } from '#sources/gateway.ts'
import type { Part } from '#sources/part.ts'
import { CanaryChart } from './CanaryChart.tsx'

/**
 * Summary of reward and execution for the top of the page, with the names of solvers that may be fooling their judge. The section below has
 * the details.
 */
export async function CanaryGlance({ canary }: { canary: Promise<Part<Canary>> }) {
  const part = await canary
  if (part.state === 'down') return null
  const [all, ...solvers] = canarySeries(part.data.points)
  if (all === undefined) return null
  const verdicts = solvers.map(({ name, rows }) => ({ name, kind: canaryVerdict(rows).kind }))
  const fooling = verdicts.filter(({ kind }) => kind === 'fooling').map(({ name }) => name)
  const isTooEarly = verdicts.every(({ kind }) => kind === 'tooEarly')
  return (
    <section aria-label="Reward and execution at a glance" className="min-w-0">
      <p className="text-sm leading-snug">
        <a href="#canary" className="casual font-semibold">
          Reward and execution
        </a>{' '}
        {fooling.length > 0 ? (
          <strong className="font-semibold text-thorn">{fooling.join(', ')} may be fooling the judge</strong>
        ) : (
          <span className="text-soft">
            {isTooEarly ? 'compared after two measurements' : 'no solver’s reward outruns execution'}
          </span>
        )}
      </p>
      <CanaryChart
        rows={all.rows}
        label="All solvers: reward and pass@1 by execution"
        height={176}
        alarming={fooling.length > 0}
        small
      />
    </section>
  )
}
