'use client'

import { scoreStates, stateOfScore } from '#merge/scoreState.ts'
import { useRoundState } from '../StateBadge.tsx'

/** Under a settled score: whether it stands. */
export function ScoreState({ round, isContested }: { round: number; isContested: boolean }) {
  const roundState = useRoundState(round)
  if (roundState === null && !isContested) return null
  const state = stateOfScore(roundState, isContested)
  const { label, says, colour } = scoreStates[state]
  return (
    <span className={`block text-xs ${colour}`} title={says}>
      {label}
    </span>
  )
}
