import { area, line } from 'd3-shape'
import { canaryGap } from '#merge/canary/canaryGap.ts'
import type { CanaryRow } from '#merge/canary/canarySeries.ts'
import { formatShare } from '#merge/format.ts'
import { Plot } from '../Plot.tsx'
import { CanaryLegend } from './CanaryLegend.tsx'

interface Props {
  rows: CanaryRow[]
  label: string
  height: number
  /** The gap is shaded as something to look into. */
  alarming: boolean
  small?: boolean
}

/**
 * Two lines over rounds, distinguished by colour, stroke and marks: reward from the judge and pass@1 by execution, with the gap between
 * them.
 */
export function CanaryChart({ rows, label, height, alarming, small = false }: Props) {
  const rounds = rows.map(({ round }) => round)
  const rewards = rows.flatMap(({ round, reward }) => (reward === null ? [] : [{ round, share: reward }]))
  const passes = rows.flatMap(({ round, passAt1 }) => (passAt1 === null ? [] : [{ round, share: passAt1 }]))
  return (
    <Plot
      label={label}
      height={height}
      domain={[Math.min(...rounds), Math.max(...rounds)]}
      formatX={String}
      shares={small ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]}
      formatShare={formatShare}
      readings={rows.map(row => ({ at: row.round, text: readingOf(row) }))}
      small={small}
      caption={!small && <CanaryLegend />}
    >
      {({ x, y }) => {
        const path = line<{ round: number; share: number }>(
          ({ round }) => x(round),
          ({ share }) => y(share),
        )
        const gap = area<{ round: number; gap: [number, number] }>(
          ({ round }) => x(round),
          row => y(row.gap[0]),
          row => y(row.gap[1]),
        )
        const shaded = canaryGap(rows).flatMap(({ round, gap }) => (gap === null ? [] : [{ round, gap }]))
        const marks = passes.map(({ round, share }) => `M${x(round)} ${y(share)}h0`).join('')
        const ultraviolet = { fill: 'none', stroke: 'var(--ultraviolet)', strokeLinecap: 'round' } as const
        return (
          <>
            <path d={gap(shaded) ?? ''} fill={alarming ? 'var(--thorn)' : 'var(--honey)'} fillOpacity={0.18} />
            <path
              data-line="reward"
              d={path(rewards) ?? ''}
              fill="none"
              stroke="var(--amber)"
              strokeWidth={rewards.length === 1 ? 6 : 2.5}
              strokeLinecap="round"
            />
            <path data-line="pass@1" d={path(passes) ?? ''} {...ultraviolet} strokeWidth={2.5} strokeDasharray="1 5" />
            <path d={marks} {...ultraviolet} strokeWidth={small ? 5 : 8} />
          </>
        )
      }}
    </Plot>
  )
}

function readingOf({ round, reward, passAt1 }: CanaryRow): string {
  const parts = [
    reward === null ? null : `reward ${formatShare(reward)}`,
    passAt1 === null ? null : `pass@1 ${formatShare(passAt1)}`,
  ]
  return `Round ${round}: ${parts.filter(part => part !== null).join(', ')}`
}
