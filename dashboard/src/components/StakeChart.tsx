'use client'

import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatShare } from '#merge/format.ts'
import type { GameMoment } from '#merge/gameHistory.ts'
import { axis, grid, tooltip } from './chartLooks.ts'

/** Told apart by stroke as well as by colour. */
const strokes = [
  ['var(--amber)', '0'],
  ['var(--ultraviolet)', '6 4'],
  ['var(--leaf)', '2 4'],
  ['var(--thorn)', '10 4 2 4'],
] as const

const time = (atSec: number) => new Date(atSec * 1000).toLocaleTimeString('en', { timeStyle: 'short' })

/** Part of all stakes on each choice as bets came in: what the market believes. */
export function StakeChart({ names, history }: { names: string[]; history: GameMoment[] }) {
  return (
    <figure aria-label="Part of all stakes on each choice over time" className="mt-4">
      <ResponsiveContainer width="100%" height={220}>
        <LineChart data={history} margin={{ top: 8, right: 8, bottom: 0, left: -12 }}>
          <CartesianGrid {...grid} />
          <XAxis
            {...axis}
            dataKey="atSec"
            type="number"
            domain={['dataMin', 'dataMax']}
            tickFormatter={time}
            minTickGap={40}
          />
          <YAxis {...axis} domain={[0, 1]} ticks={[0, 0.5, 1]} tickFormatter={formatShare} width={62} />
          <Tooltip
            {...tooltip}
            labelFormatter={atSec => time(Number(atSec))}
            formatter={(value, name) => [formatShare(Number(value)), name]}
          />
          {names.map((name, choice) => {
            const [stroke, strokeDasharray] = strokes[choice % strokes.length] ?? strokes[0]
            return (
              <Line
                key={name}
                type="stepAfter"
                name={name}
                dataKey={({ shares }: GameMoment) => shares[choice]}
                stroke={stroke}
                strokeDasharray={strokeDasharray}
                strokeWidth={2.5}
                dot={history.length < 12}
                isAnimationActive={false}
              />
            )
          })}
        </LineChart>
      </ResponsiveContainer>
      <figcaption className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
        {names.map((name, choice) => {
          const [stroke, strokeDasharray] = strokes[choice % strokes.length] ?? strokes[0]
          return (
            <span key={name} className="flex items-center gap-2">
              <svg width="28" height="4" aria-hidden="true">
                <path d="M0 2h28" stroke={stroke} strokeWidth="3" strokeDasharray={strokeDasharray} />
              </svg>
              {name}
            </span>
          )
        })}
      </figcaption>
    </figure>
  )
}
