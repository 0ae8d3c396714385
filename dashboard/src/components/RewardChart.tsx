'use client'

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { axis, grid, tooltip } from './chartLooks.ts'

/** A peer's settled score in each round, oldest first. */
export function RewardChart({ scores }: { scores: { round: number; score: number }[] }) {
  return (
    <figure aria-label="Settled score by round">
      <ResponsiveContainer width="100%" height={260}>
        <BarChart data={scores} margin={{ top: 8, right: 0, bottom: 0, left: -16 }} barCategoryGap="18%">
          <CartesianGrid {...grid} />
          <XAxis {...axis} dataKey="round" minTickGap={28} />
          <YAxis {...axis} domain={[0, 1]} ticks={[0, 0.25, 0.5, 0.75, 1]} />
          <Tooltip
            {...tooltip}
            cursor={{ fill: 'var(--honey-pale)' }}
            labelFormatter={round => `Round ${round}`}
            formatter={value => [Number(value).toFixed(3), 'Settled score']}
          />
          <Bar dataKey="score" fill="var(--amber)" radius={[3, 3, 0, 0]} maxBarSize={44} isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </figure>
  )
}
