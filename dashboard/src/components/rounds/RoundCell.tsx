import Link from 'next/link'
import { type RoundState, roundStates } from '#merge/roundState.ts'

export const CELL_WIDTH = 104
export const CELL_HEIGHT = CELL_WIDTH * 1.1547

const outline = (() => {
  const [x, y] = [CELL_WIDTH / 2 - 3, CELL_HEIGHT / 2 - 3.5]
  return `M0 ${-y}L${x} ${-y / 2}V${y / 2}L0 ${y}L${-x} ${y / 2}V${-y / 2}Z`
})()

interface Props {
  round: number
  state: RoundState
  x: number
  y: number
  /** Share of the cell that is honey, 0 to 1. */
  filled: number
}

function Words({ round, state, tone }: { round: number; state: RoundState; tone: string }) {
  return (
    <text textAnchor="middle" className={tone}>
      <tspan x="0" y="3" className="casual text-[1.75rem] font-extrabold">
        {round}
      </tspan>{' '}
      <tspan x="0" y="24" className="text-[0.8rem] font-medium">
        {roundStates[state].label}
      </tspan>
    </text>
  )
}

/** One round as a cell of comb: honey rises in it while it is open, and a final one is capped with wax. */
export function RoundCell({ round, state, x, y, filled }: Props) {
  const level = CELL_HEIGHT * (0.5 - filled)
  const clip = `honey-${round}`
  return (
    <Link href={`/rounds/${round}`} className="group no-underline">
      <g transform={`translate(${x} ${y})`}>
        <clipPath id={clip}>
          <rect
            x={-CELL_WIDTH / 2}
            y={level}
            width={CELL_WIDTH}
            height={CELL_HEIGHT}
            className="transition-all duration-500"
          />
        </clipPath>
        <path
          d={outline}
          strokeLinejoin="round"
          strokeWidth="5"
          className="fill-comb stroke-line group-hover:stroke-honey"
        />
        <Words round={round} state={state} tone={state === 'proposing' ? 'fill-soft' : 'fill-ink'} />
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of shapes takes no focus, and its words are above. */}
        <g clipPath={`url(#${clip})`} aria-hidden="true">
          <path d={outline} className={state === 'open' ? 'fill-honey' : 'fill-honey-pale'} />
          <Words round={round} state={state} tone={state === 'open' ? 'fill-night' : 'fill-ink'} />
        </g>
        {state === 'final' && (
          <path d="M-7-33l5 5 9-9" fill="none" strokeWidth="3.5" strokeLinecap="round" className="stroke-honey-ink" />
        )}
      </g>
    </Link>
  )
}
