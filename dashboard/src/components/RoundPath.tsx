'use client'

import { useRoundClock } from '@/chain/ChainProvider.tsx'
import { type RoundState, roundStates } from '@/merge/roundState.ts'
import { ClockTrouble } from './ClockTrouble.tsx'
import { useRoundState } from './StateBadge.tsx'

const path: RoundState[] = ['proposing', 'open', 'voting', 'revealing', 'settling', 'final']

/** How far a round has come on its way to final points, by the chain's clock. */
export function RoundPath({ round }: { round: number }) {
  const clock = useRoundClock()
  const state = useRoundState(round)
  if (clock.state !== 'running' && clock.state !== 'loading' && clock.state !== 'waiting')
    return (
      <div className="mt-6">
        <ClockTrouble clock={clock} />
      </div>
    )
  const reached = state === null ? -1 : path.indexOf(state)
  return (
    <div className="mt-6 min-h-24">
      <ol className="flex max-w-2xl items-center" aria-label="Way of this round">
        {path.map((step, index) => (
          <li
            key={step}
            aria-current={index === reached ? 'step' : undefined}
            className={`flex items-center ${index > 0 ? 'flex-1' : ''}`}
          >
            {index > 0 && <span className={`h-0.5 flex-1 ${index <= reached ? 'bg-honey-ink' : 'bg-line'}`} />}
            <svg width="26" height="29" viewBox="-13 -14.5 26 29" aria-hidden="true" className="mx-0.5 shrink-0">
              <path
                d="M0-12.5 11-6.2V6.2L0 12.5-11 6.2V-6.2Z"
                strokeWidth="2"
                strokeLinejoin="round"
                className={
                  index > reached
                    ? 'fill-none stroke-line'
                    : index === reached
                      ? 'fill-honey stroke-honey-ink'
                      : 'fill-honey-pale stroke-honey-ink'
                }
              />
            </svg>
            <span className={index === reached ? 'mr-1 text-sm font-bold' : 'sr-only'}>{roundStates[step].label}</span>
          </li>
        ))}
      </ol>
      <p className="mt-3 text-lg">{state === null ? 'Asking the chain.' : roundStates[state].doing}</p>
    </div>
  )
}
