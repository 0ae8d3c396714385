'use client'

import { useEffect, useState } from 'react'
import { type GameStep, type GameTerms, gameStep } from '#merge/games/gameClock.ts'
import { useRoundClock } from './ChainProvider.tsx'

/** The next step in a game by the chain's clock. While the game is open, null until this runs in a browser that knows the clock. */
export function useGameStep(terms: GameTerms): GameStep | null {
  const clock = useRoundClock()
  const skewSec = 'skewSec' in clock ? clock.skewSec : null
  const [step, setStep] = useState<GameStep | null>(terms.status === 'open' ? null : gameStep(terms, 0))
  useEffect(() => {
    if (skewSec === null) return
    const tick = () => setStep(gameStep(terms, Date.now() / 1000 + skewSec))
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [terms, skewSec])
  return step
}
