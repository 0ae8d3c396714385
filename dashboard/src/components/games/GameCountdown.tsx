'use client'

import { useRoundClock } from '#chain/ChainProvider.tsx'
import { useGameStep } from '#chain/useGameStep.ts'
import { useSecondsUntil } from '#chain/useSecondsUntil.ts'
import type { GameTerms } from '#merge/games/gameClock.ts'

/** Counts down to the next step of a game, by the chain's clock. */
export function GameCountdown({ terms }: { terms: GameTerms }) {
  const clock = useRoundClock()
  const step = useGameStep(terms)
  const skewSec = 'skewSec' in clock ? clock.skewSec : 0
  const left = useSecondsUntil(step?.atSec ?? null, skewSec)
  return (
    <p className="mt-4 min-h-8 text-xl">
      {step?.says}
      {left !== null && (
        <>
          {' in '}
          <span role="timer" className="figures font-semibold">
            {spoken(left)}
          </span>
        </>
      )}
    </p>
  )
}

function spoken(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.ceil(seconds / 3_600)} h` : `${Math.ceil(seconds / 86_400)} days`
}
