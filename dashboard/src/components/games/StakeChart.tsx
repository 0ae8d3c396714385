import { curveStepAfter, line } from 'd3-shape'
import { formatShare } from '#merge/format.ts'
import type { GameMoment } from '#merge/games/gameHistory.ts'
import { Plot } from '../Plot.tsx'

/** Told apart by stroke as well as by colour. */
const strokes = [
  ['var(--amber)', '0'],
  ['var(--ultraviolet)', '6 4'],
  ['var(--leaf)', '2 4'],
  ['var(--thorn)', '10 4 2 4'],
] as const

const strokeOf = (choice: number) => strokes[choice % strokes.length] ?? strokes[0]

const MINUTE = 60

/** Part of all stakes on each choice as bets came in: what the market believes. */
export function StakeChart({ names, history }: { names: string[]; history: GameMoment[] }) {
  const first = history[0]?.atSec ?? 0
  const minutes = (atSec: number) => (atSec - first) / MINUTE
  return (
    <Plot
      label="Part of all stakes on each choice over time"
      height={220}
      domain={[0, minutes(history.at(-1)?.atSec ?? first)]}
      formatX={minute => `${minute} min`}
      shares={[0, 0.5, 1]}
      formatShare={formatShare}
      readings={history.map(({ atSec, shares }) => ({
        at: minutes(atSec),
        text: names.map((name, choice) => `${name} ${formatShare(shares[choice] ?? 0)}`).join('\n'),
      }))}
      caption={<Legend names={names} />}
    >
      {({ x, y }) =>
        names.map((name, choice) => {
          const [stroke, strokeDasharray] = strokeOf(choice)
          const path = line<GameMoment>(
            ({ atSec }) => x(minutes(atSec)),
            ({ shares }) => y(shares[choice] ?? 0),
          ).curve(curveStepAfter)
          return (
            <path
              key={name}
              data-line={name}
              d={path(history) ?? ''}
              {...{ fill: 'none', stroke, strokeDasharray, strokeWidth: 2.5 }}
            />
          )
        })
      }
    </Plot>
  )
}

function Legend({ names }: { names: string[] }) {
  return (
    <figcaption className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
      {names.map((name, choice) => {
        const [stroke, strokeDasharray] = strokeOf(choice)
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
  )
}
