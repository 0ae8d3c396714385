import { scaleLinear } from 'd3-scale'
import type { ReactNode } from 'react'

/** Side of the square that is stretched over the plot: lines keep their width, text stands outside of it. */
const SIDE = 1_000

export interface Scales {
  x: (value: number) => number
  /** Vertical position of a share from 0 to 1. */
  y: (share: number) => number
}

/** Tooltip of a place. */
export interface Reading {
  at: number
  text: string
}

interface Props {
  label: string
  height: number
  /** First and last value of the horizontal axis. */
  domain: [number, number]
  formatX: (value: number) => string
  /** Labels of the vertical axis. */
  shares: number[]
  formatShare: (share: number) => string
  readings: Reading[]
  small?: boolean
  children: (scales: Scales) => ReactNode
  caption?: ReactNode
}

/** A chart of shares over whole numbers, drawn by the server: a page with charts loads no script for them. */
export function Plot({
  label,
  height,
  domain,
  formatX,
  shares,
  formatShare,
  readings,
  small,
  children,
  caption,
}: Props) {
  const [first, last] = domain
  const x = scaleLinear([first, first === last ? first + 1 : last], [0, SIDE])
  const y = scaleLinear([0, 1], [SIDE, 0])
  const ticks = x.ticks(small ? 2 : 5).filter(tick => Number.isInteger(tick) && tick <= last)
  return (
    <figure aria-label={label} className="mt-4">
      <div className="grid grid-cols-[3.25rem_1fr] grid-rows-1 text-xs text-soft" style={{ height }}>
        <div className="relative" aria-hidden="true">
          {shares.map(share => (
            <span key={share} className="absolute right-2 -translate-y-1/2" style={{ top: percent(1 - share) }}>
              {formatShare(share)}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${SIDE} ${SIDE}`}
          preserveAspectRatio="none"
          className="size-full min-h-0 overflow-visible *:[vector-effect:non-scaling-stroke]"
          aria-hidden="true"
        >
          {shares.map(share => (
            <path key={share} d={`M0 ${y(share)}H${SIDE}`} stroke="var(--line)" />
          ))}
          {children({ x, y })}
          {readings.map(({ at, text }, index) => (
            <rect key={at} {...span(readings, index, x)} y={0} height={SIDE} fill="transparent">
              <title>{text}</title>
            </rect>
          ))}
        </svg>
      </div>
      <div className="relative ml-13 h-6 text-xs text-soft" aria-hidden="true">
        {ticks.map(tick => (
          <span
            key={tick}
            className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap"
            style={{ left: percent(x(tick) / SIDE) }}
          >
            {formatX(tick)}
          </span>
        ))}
      </div>
      {caption}
    </figure>
  )
}

const percent = (share: number) => `${Math.round(share * 1e4) / 100}%`

/** Hover area: from half-way to the previous point to half-way to the next. */
function span(readings: Reading[], index: number, x: Scales['x']) {
  const here = x(readings[index]?.at ?? 0)
  const before = readings[index - 1]
  const after = readings[index + 1]
  const from = before === undefined ? 0 : (x(before.at) + here) / 2
  const to = after === undefined ? SIDE : (here + x(after.at)) / 2
  return { x: from, width: Math.max(0, to - from) }
}
