import { curveStepAfter, line } from 'd3-shape'
import { formatShare } from '#merge/format.ts'
import type { GameMoment } from '#merge/games/gameHistory.ts'
import { Plot } from '../Plot.tsx'
import { ChoiceLegend, strokeOf } from './ChoiceLegend.tsx'

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
      caption={<ChoiceLegend choices={names.map((name, choice) => ({ choice, name }))} />}
    >
      {({ x, y }) =>
        names.map((name, choice) => {
          const path = line<GameMoment>(
            ({ atSec }) => x(minutes(atSec)),
            ({ shares }) => y(shares[choice] ?? 0),
          ).curve(curveStepAfter)
          return (
            <path
              key={name}
              data-line={name}
              d={path(history) ?? ''}
              fill="none"
              strokeWidth={2.5}
              {...strokeOf(choice)}
            />
          )
        })
      }
    </Plot>
  )
}
