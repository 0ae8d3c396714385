import { curveStepAfter, line } from 'd3-shape'
import { Fragment } from 'react'
import type { PriceLine } from '#merge/games/gameHistory.ts'
import { timeAxis } from '#merge/games/timeAxis.ts'
import { Plot } from '../Plot.tsx'
import { ChoiceLegend, strokeOf } from './ChoiceLegend.tsx'

/** Prices that bets paid for a share of each choice, in Nectar: a point for each bet, in their order. The axis begins at 0. */
export function PriceChart({ lines, nameOf }: { lines: PriceLine[]; nameOf: (choice: number) => string }) {
  const points = lines.flatMap(({ choice, points }) => points.map(point => ({ choice, ...point })))
  const times = points.map(({ atSec }) => atSec)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const most = Math.max(...points.map(({ price }) => price))
  const { at, domain, format } = timeAxis(first, last)
  const readings = [...Map.groupBy(points, ({ atSec }) => atSec)].sort(([a], [b]) => a - b)
  return (
    <Plot
      label="Price of a share of each choice over time"
      height={180}
      domain={domain}
      formatX={format}
      shares={[0, 0.5, 1]}
      formatShare={share => (share * most).toFixed(2)}
      readings={readings.map(([atSec, bets]) => ({
        at: at(atSec),
        text: bets.map(({ choice, price }) => `${nameOf(choice)} ${price.toFixed(2)}`).join('\n'),
      }))}
      caption={<ChoiceLegend choices={lines.map(({ choice }) => ({ choice, name: nameOf(choice) }))} />}
    >
      {({ x, y }) =>
        lines.map(({ choice, points: ofChoice }) => {
          const path = line<PriceLine['points'][number]>(
            ({ atSec }) => x(at(atSec)),
            ({ price }) => y(price / most),
          ).curve(curveStepAfter)
          return (
            <Fragment key={choice}>
              <path d={path(ofChoice) ?? ''} fill="none" strokeWidth={1.5} {...strokeOf(choice)} />
              <path
                data-price={nameOf(choice)}
                d={ofChoice.map(({ atSec, price }) => `M${x(at(atSec))} ${y(price / most)}h0`).join('')}
                strokeLinecap="round"
                strokeWidth={9}
                stroke={strokeOf(choice).stroke}
              />
            </Fragment>
          )
        })
      }
    </Plot>
  )
}
