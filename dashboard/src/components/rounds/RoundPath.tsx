'use client'

import { useRoundClock } from '#chain/ChainProvider.tsx'
import { type RoundState, roundStates } from '#merge/roundState.ts'
import { useRoundState } from '../StateBadge.tsx'
import { ClockTrouble } from '../site/ClockTrouble.tsx'

const path: RoundState[] = ['proposing', 'open', 'voting', 'revealing', 'settling', 'final']

/** Progress of a round towards final points, by the chain's clock. */
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
    <div className="mt-6 min-h-32 sm:min-h-24">
      <ol className="flex max-w-3xl" aria-label="Way of this round">
        {path.map((step, index) => (
          <li key={step} aria-current={index === reached ? 'step' : undefined} className="relative flex-1 text-center">
            {index > 0 && (
              <span
                aria-hidden="true"
                className={`absolute top-[13.5px] right-[calc(50%+15px)] left-[calc(-50%+15px)] h-0.5 ${index <= reached ? 'bg-honey-ink' : 'bg-line'}`}
              />
            )}
            <Cell reached={reached - index} />
            <span className={`mt-1 block text-sm ${index === reached ? 'font-bold' : 'text-soft max-sm:sr-only'}`}>
              {roundStates[step].label}
            </span>
          </li>
        ))}
      </ol>
      <p className="mt-3 text-lg">{state === null ? 'Asking the chain.' : roundStates[state].doing}</p>
    </div>
  )
}

/** A cell on the way: behind is wax, here is honey, ahead is empty. */
function Cell({ reached }: { reached: number }) {
  const className =
    reached < 0
      ? 'fill-none stroke-line'
      : reached === 0
        ? 'fill-honey stroke-honey-ink'
        : 'fill-honey-pale stroke-honey-ink'
  return (
    <svg width="26" height="29" viewBox="-13 -14.5 26 29" aria-hidden="true" className="mx-auto">
      <path d="M0-12.5 11-6.2V6.2L0 12.5-11 6.2V-6.2Z" strokeWidth="2" strokeLinejoin="round" className={className} />
    </svg>
  )
}
