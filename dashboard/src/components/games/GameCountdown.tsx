'use client'

import { useRoundClock } from '#chain/ChainProvider.tsx'
import { useGameStep } from '#chain/useGameStep.ts'
import { useSecondsUntil } from '#chain/useSecondsUntil.ts'
import type { GameTerms } from '#merge/games/gameClock.ts'

/**
 * Counts down to the next step of a game, by the chain's clock. Two lines are reserved on a phone, where a step may need them.
 *
 * @param isSmall - for a game among others.
 */
export function GameCountdown({ terms, isSmall = false }: { terms: GameTerms; isSmall?: boolean }) {
  const clock = useRoundClock()
  const step = useGameStep(terms)
  const skewSec = 'skewSec' in clock ? clock.skewSec : 0
  const left = useSecondsUntil(step?.atSec ?? null, skewSec)
  return (
    <p
      className={
        isSmall ? 'mt-1 min-h-10 text-sm font-medium sm:min-h-5' : 'mt-4 min-h-14 text-lg sm:min-h-8 sm:text-xl'
      }
    >
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
