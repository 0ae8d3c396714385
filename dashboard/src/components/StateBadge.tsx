'use client'

import { useRoundClock } from '#chain/ChainProvider.tsx'
import { type RoundState, roundState, roundStates } from '#merge/roundState.ts'

/** A round's state by the chain's clock; null while it is unknown. */
export function useRoundState(round: number): RoundState | null {
  const clock = useRoundClock()
  return clock.state === 'running' ? roundState(round, clock.round, clock.finalityRounds) : null
}

const colours: Record<RoundState, string> = {
  ahead: 'border-line text-soft',
  proposing: 'border-line text-soft',
  open: 'border-honey bg-honey text-night',
  voting: 'border-honey-ink text-honey-ink',
  revealing: 'border-honey-ink text-honey-ink',
  settling: 'border-honey-ink text-honey-ink',
  final: 'border-transparent bg-honey-pale text-ink',
}

export function StateBadge({ round }: { round: number }) {
  const state = useRoundState(round)
  // Fixed width: the state arrives after the table, whose columns must not move.
  return (
    <span
      className={`inline-block min-w-24 rounded-full border-[1.5px] px-2.5 py-0.5 text-center text-xs font-semibold ${state === null ? 'border-transparent text-soft' : colours[state]}`}
    >
      {state === null ? 'Unknown' : roundStates[state].label}
    </span>
  )
}
