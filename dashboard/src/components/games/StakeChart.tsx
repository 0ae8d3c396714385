import { curveStepAfter, line } from 'd3-shape'
import { formatShare } from '#merge/format.ts'
import type { GameMoment } from '#merge/games/gameHistory.ts'
import { timeAxis } from '#merge/games/timeAxis.ts'
import { Plot } from '../Plot.tsx'
import { ChoiceLegend, strokeOf } from './ChoiceLegend.tsx'

/** Part of all stakes on each choice as bets came in: what the market believes. Choices without any stake would hide each other at 0. */
export function StakeChart({ names, history }: { names: string[]; history: GameMoment[] }) {
  const first = history[0]?.atSec ?? 0
  const { at, domain, format } = timeAxis(first, history.at(-1)?.atSec ?? first)
  const staked = names
    .map((name, choice) => ({ choice, name }))
    .filter(({ choice }) => history.some(({ shares }) => (shares[choice] ?? 0) > 0))
  return (
    <Plot
      label="Part of all stakes on each choice over time"
      height={220}
      domain={domain}
      formatX={format}
      shares={[0, 0.5, 1]}
      formatShare={formatShare}
      readings={history.map(({ atSec, shares }) => ({
        at: at(atSec),
        text: staked.map(({ name, choice }) => `${name} ${formatShare(shares[choice] ?? 0)}`).join('\n'),
      }))}
      caption={<ChoiceLegend choices={staked} />}
    >
      {({ x, y }) =>
        staked.map(({ name, choice }) => {
          const path = line<GameMoment>(
            ({ atSec }) => x(at(atSec)),
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
