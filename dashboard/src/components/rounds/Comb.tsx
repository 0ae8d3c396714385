'use client'

import { useRoundClock } from '#chain/ChainProvider.tsx'
import { useSecondsUntil } from '#chain/useSecondsUntil.ts'
import { roundState } from '#merge/roundState.ts'
import { CELL_HEIGHT, CELL_WIDTH, RoundCell } from './RoundCell.tsx'

const CELLS = 6
const STEP_X = CELL_WIDTH / 2
const STEP_Y = CELL_HEIGHT * 0.75

const centre = (index: number) => ({
  x: CELL_WIDTH / 2 + index * STEP_X,
  y: CELL_HEIGHT / 2 + (index % 2 === 0 ? 0 : STEP_Y),
})

/** The rounds in flight, one cell each: a round waggles its way from proposal to final. */
export function Comb() {
  const clock = useRoundClock()
  const running = clock.state === 'running' ? clock : null
  const left = useSecondsUntil(running?.endsAtSec ?? null, running?.skewSec ?? 0)
  const width = CELL_WIDTH + (CELLS - 1) * STEP_X
  const height = CELL_HEIGHT + STEP_Y
  if (running === null) {
    return <div aria-hidden="true" className="w-full max-w-96" style={{ aspectRatio: `${width} / ${height}` }} />
  }
  const lasts = running.endsAtSec - running.startsAtSec
  const elapsed = left === null ? 0 : Math.min(1, 1 - left / lasts)
  const rounds = Array.from({ length: CELLS }, (_, index) => running.round + 1 - index)
  return (
    <nav aria-label="Rounds in flight">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the navigation around it is named, and so is each cell. */}
      <svg viewBox={`0 0 ${width} ${height}`} className="w-full max-w-96 overflow-visible">
        {rounds.map((round, index) => {
          if (round < 0) return null
          const state = roundState(round, running.round, running.finalityRounds)
          const filled = state === 'proposing' ? 0 : state === 'open' ? elapsed : 1
          return <RoundCell key={round} round={round} state={state} filled={filled} {...centre(index)} />
        })}
      </svg>
    </nav>
  )
}
