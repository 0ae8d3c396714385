'use client'

import { useRoundState } from '../StateBadge.tsx'

/** Shown instead of a score: whether one may still come. A score can be settled during one round only. */
export function NotSettled({ round }: { round: number }) {
  const state = useRoundState(round)
  return <span className="text-sm text-soft">{state === 'final' ? 'unsettled' : 'not yet'}</span>
}
