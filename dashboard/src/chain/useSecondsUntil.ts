'use client'

import { useEffect, useState } from 'react'
import { secondsUntil } from './roundClock.ts'

/** Seconds until a moment of the chain's clock, counted down; null until this runs in a browser. */
export function useSecondsUntil(atSec: number | null, skewSec: number): number | null {
  const [left, setLeft] = useState<number | null>(null)
  useEffect(() => {
    if (atSec === null) return setLeft(null)
    const tick = () => setLeft(secondsUntil(atSec, skewSec, Date.now()))
    tick()
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [atSec, skewSec])
  return left
}
