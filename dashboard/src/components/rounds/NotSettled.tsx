'use client'

import { useRoundState } from '../StateBadge.tsx'

/** In the place of a score: whether one may still come. Settling is for one round of time, and what nobody settled in it stays so. */
export function NotSettled({ round }: { round: number }) {
  const state = useRoundState(round)
  return <span className="text-sm text-soft">{state === 'final' ? 'unsettled' : 'not yet'}</span>
}
