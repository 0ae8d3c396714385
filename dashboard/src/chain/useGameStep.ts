'use client'

import { useEffect, useState } from 'react'
import { type GameStep, type GameTerms, gameStep } from '#merge/games/gameClock.ts'
import { isOver } from '#merge/games/marketRows.ts'
import { useRoundClock } from './ChainProvider.tsx'

/** The next step in a game by the chain's clock. Until the game is over, null until this runs in a browser that knows the clock. */
export function useGameStep(terms: GameTerms): GameStep | null {
  const clock = useRoundClock()
  const skewSec = 'skewSec' in clock ? clock.skewSec : null
  const [step, setStep] = useState<GameStep | null>(isOver(terms.status) ? gameStep(terms, 0) : null)
  useEffect(() => {
    if (skewSec === null) return
    const tick = () => setStep(gameStep(terms, Date.now() / 1000 + skewSec))
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [terms, skewSec])
  return step
}
