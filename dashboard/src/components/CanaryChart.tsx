'use client'

import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { CanaryRow } from '@/merge/canarySeries.ts'
import { formatShare } from '@/merge/format.ts'
import { axis, grid, tooltip } from './chartLooks.ts'

interface Props {
  rows: CanaryRow[]
  label: string
  height: number
  small?: boolean
}

/** Two lines over rounds, told apart by colour, stroke and marks: reward, which is judged, and pass@1, which is run. */
export function CanaryChart({ rows, label, height, small = false }: Props) {
  return (
    <figure aria-label={label} className="mt-3">
      <ResponsiveContainer width="100%" height={height}>
        <LineChart
          data={rows}
          margin={{ top: 8, right: 8, bottom: 0, left: small ? -22 : -12 }}
          accessibilityLayer={!small}
        >
          <CartesianGrid {...grid} />
          <XAxis {...axis} dataKey="round" minTickGap={small ? 60 : 28} />
          <YAxis
            {...axis}
            domain={[0, 1]}
            ticks={small ? [0, 1] : [0, 0.25, 0.5, 0.75, 1]}
            tickFormatter={formatShare}
            width={62}
          />
          <Tooltip
            {...tooltip}
            labelFormatter={round => `Round ${round}`}
            formatter={(value, name) => [formatShare(Number(value)), name]}
          />
          <Line
            name="Reward, judged"
            dataKey="reward"
            stroke="var(--amber)"
            strokeWidth={2.5}
            dot={false}
            isAnimationActive={false}
            connectNulls
          />
          <Line
            name="Pass@1, executed"
            dataKey="passAt1"
            stroke="var(--ultraviolet)"
            strokeWidth={2.5}
            strokeDasharray="1 5"
            strokeLinecap="round"
            dot={{ r: small ? 2.5 : 4, fill: 'var(--ultraviolet)', strokeWidth: 0, strokeDasharray: 'none' }}
            isAnimationActive={false}
            connectNulls
          />
        </LineChart>
      </ResponsiveContainer>
      {!small && <Legend />}
    </figure>
  )
}

function Legend() {
  return (
    <figcaption className="mt-2 flex flex-wrap gap-x-6 gap-y-1 pl-12 text-sm">
      <span className="inline-flex items-center gap-2">
        <span aria-hidden="true" className="h-1 w-7 rounded-full bg-amber" />
        Reward, as the judge model sees it
      </span>
      <span className="inline-flex items-center gap-2">
        <svg aria-hidden="true" width="28" height="10" viewBox="0 0 28 10" className="fill-ultraviolet">
          <circle cx="4" cy="5" r="4" />
          <circle cx="14" cy="5" r="1.6" />
          <circle cx="24" cy="5" r="4" />
        </svg>
        Pass@1, as execution shows it
      </span>
    </figcaption>
  )
}
