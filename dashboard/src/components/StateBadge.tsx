'use client'

import { useRoundClock } from '#chain/ChainProvider.tsx'
import { type RoundState, roundState, roundStates } from '#merge/roundState.ts'

/** A round's state by the chain's clock; null while the chain has said nothing. */
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
  if (state === null) return <span className="text-sm text-soft">Unknown</span>
  return (
    <span className={`inline-block rounded-full border-[1.5px] px-2.5 py-0.5 text-xs font-semibold ${colours[state]}`}>
      {roundStates[state].label}
    </span>
  )
}
