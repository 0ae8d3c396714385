import { curveStepAfter, line } from 'd3-shape'
import type { PriceLine } from '#merge/games/gameHistory.ts'
import { Plot } from '../Plot.tsx'
import { ChoiceLegend, strokeOf } from './ChoiceLegend.tsx'

const MINUTE = 60

/** Prices that bets paid for a share of each choice, in Nectar and in the order of the bets. The axis begins at 0. */
export function PriceChart({ lines, nameOf }: { lines: PriceLine[]; nameOf: (choice: number) => string }) {
  const points = lines.flatMap(({ choice, points }) => points.map(point => ({ choice, ...point })))
  const times = points.map(({ atSec }) => atSec)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const most = Math.max(...points.map(({ price }) => price))
  const minutes = (atSec: number) => (atSec - first) / MINUTE
  const readings = [...Map.groupBy(points, ({ atSec }) => atSec)].sort(([a], [b]) => a - b)
  return (
    <Plot
      label="Price of a share of each choice over time"
      height={180}
      domain={[0, minutes(last)]}
      formatX={minute => `${minute} min`}
      shares={[0, 0.5, 1]}
      formatShare={share => (share * most).toFixed(2)}
      readings={readings.map(([atSec, bets]) => ({
        at: minutes(atSec),
        text: bets.map(({ choice, price }) => `${nameOf(choice)} ${price.toFixed(2)}`).join('\n'),
      }))}
      caption={<ChoiceLegend choices={lines.map(({ choice }) => ({ choice, name: nameOf(choice) }))} />}
    >
      {({ x, y }) =>
        lines.map(({ choice, points: ofChoice }) => {
          const path = line<PriceLine['points'][number]>(
            ({ atSec }) => x(minutes(atSec)),
            ({ price }) => y(price / most),
          ).curve(curveStepAfter)
          return (
            <path
              key={choice}
              data-price={nameOf(choice)}
              d={path(ofChoice) ?? ''}
              fill="none"
              strokeLinecap="round"
              strokeWidth={ofChoice.length === 1 ? 6 : 2.5}
              {...strokeOf(choice)}
            />
          )
        })
      }
    </Plot>
  )
}
