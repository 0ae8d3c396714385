'use client'

import { Area, CartesianGrid, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { canaryGap } from '#merge/canaryGap.ts'
import type { CanaryRow } from '#merge/canarySeries.ts'
import { formatShare } from '#merge/format.ts'
import { CanaryLegend } from './CanaryLegend.tsx'
import { axis, grid, tooltip } from './chartLooks.ts'

interface Props {
  rows: CanaryRow[]
  label: string
  height: number
  /** The gap is shaded as something to look into. */
  alarming: boolean
  small?: boolean
}

/** Two lines over rounds, told apart by colour, stroke and marks: reward, which is judged, and pass@1, which is run. Between them, the gap. */
export function CanaryChart({ rows, label, height, alarming, small = false }: Props) {
  const still = { isAnimationActive: false, connectNulls: true }
  return (
    <figure aria-label={label} className="mt-3">
      <ResponsiveContainer width="100%" height={height}>
        <ComposedChart data={canaryGap(rows)} margin={{ top: 8, right: 8, bottom: 0, left: small ? -22 : -12 }}>
          <CartesianGrid {...grid} />
          <XAxis {...axis} dataKey="round" minTickGap={small ? 60 : 28} />
          <YAxis
            {...axis}
            domain={[0, 1]}
            ticks={small ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]}
            tickFormatter={formatShare}
            width={62}
          />
          <Tooltip
            {...tooltip}
            labelFormatter={round => `Round ${round}`}
            formatter={(value, name) => [formatShare(Number(value)), name]}
          />
          <Area
            {...still}
            dataKey="gap"
            tooltipType="none"
            stroke="none"
            fill={alarming ? 'var(--thorn)' : 'var(--honey)'}
            fillOpacity={0.18}
            activeDot={false}
          />
          <Line
            {...still}
            name="Reward, judged"
            dataKey="reward"
            stroke="var(--amber)"
            strokeWidth={2.5}
            dot={rows.length === 1}
          />
          <Line
            {...still}
            name="Pass@1, executed"
            dataKey="passAt1"
            stroke="var(--ultraviolet)"
            strokeWidth={2.5}
            strokeDasharray="1 5"
            strokeLinecap="round"
            dot={{ r: small ? 2.5 : 4, fill: 'var(--ultraviolet)', strokeWidth: 0, strokeDasharray: 'none' }}
          />
        </ComposedChart>
      </ResponsiveContainer>
      {!small && <CanaryLegend />}
    </figure>
  )
}
