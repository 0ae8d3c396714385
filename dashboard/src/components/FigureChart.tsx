import { line } from 'd3-shape'
import { type FigureSeries, formatFigure } from '#merge/trainingFigures.ts'
import { Plot } from './Plot.tsx'

/** One figure of a solver's updates over rounds, over the range that it had. */
export function FigureChart({ name, hint, points }: FigureSeries) {
  const rounds = points.map(({ round }) => round)
  const [least, most] = rangeOf(points.map(({ value }) => value))
  const last = points.at(-1)
  return (
    <div>
      <h3 className="text-lg">
        {name} <span className="figures">{last === undefined ? '' : formatFigure(last.value)}</span>
      </h3>
      <p className="text-sm text-soft">{hint}</p>
      <Plot
        label={`${name} by round`}
        height={150}
        domain={[Math.min(...rounds), Math.max(...rounds)]}
        formatX={String}
        shares={[0, 0.5, 1]}
        formatShare={share => formatFigure(least + share * (most - least))}
        readings={points.map(({ round, value }) => ({ at: round, text: `Round ${round}: ${formatFigure(value)}` }))}
        small
      >
        {({ x, y }) => {
          const path = line<{ round: number; value: number }>(
            ({ round }) => x(round),
            ({ value }) => y((value - least) / (most - least)),
          )
          return (
            <path
              data-figure={name}
              d={path(points) ?? ''}
              fill="none"
              stroke="var(--amber)"
              strokeWidth={points.length === 1 ? 6 : 2.5}
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          )
        }}
      </Plot>
    </div>
  )
}

/** Range of the values; around a single value if they are all equal. */
function rangeOf(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const margin = most > least ? 0 : Math.abs(most) / 2 || 0.5
  return [least - margin, most + margin]
}
