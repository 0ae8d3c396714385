'use client'

import { useRoundClock } from '#chain/ChainProvider.tsx'
import { useSecondsUntil } from '#chain/useSecondsUntil.ts'
import { timeLeft } from '#merge/relativeTime.ts'
import { roundStates } from '#merge/roundState.ts'
import { ClockTrouble } from '../site/ClockTrouble.tsx'

/** Height of the running round's line: content below must not move once the chain answers. */
const HEIGHT = 'min-h-44'

/** The current round in words, by the chain's clock, and its remaining time. */
export function RoundHeadline() {
  const clock = useRoundClock()
  const until = clock.state === 'running' ? clock.endsAtSec : clock.state === 'waiting' ? clock.startsAtSec : null
  const left = useSecondsUntil(until, 'skewSec' in clock ? clock.skewSec : 0)
  if (clock.state === 'loading') {
    return (
      <div role="status" className={HEIGHT}>
        <h1 className="text-5xl sm:text-6xl">Round …</h1>
        <p className="mt-3 text-soft">Asking the chain.</p>
      </div>
    )
  }
  if (clock.state === 'waiting') {
    return (
      <div>
        <h1 className="text-4xl sm:text-5xl">The first round begins in {left === null ? '…' : timeLeft(left)}</h1>
        <p className="mt-3 max-w-prose text-soft">{roundStates.proposing.doing}</p>
      </div>
    )
  }
  if (clock.state !== 'running') return <ClockTrouble clock={clock} />
  return (
    <div className={HEIGHT}>
      <h1 className="text-5xl sm:text-6xl">Round {clock.round}</h1>
      <p className="mt-3 max-w-[44ch] text-lg leading-snug">{roundStates.open.doing}</p>
      <p className="mt-3 text-soft">
        <span role="timer">
          <span className="figures text-3xl font-semibold text-ink">{left === null ? '…' : timeLeft(left)}</span>
        </span>{' '}
        until round {clock.round + 1}
      </p>
    </div>
  )
}
