'use client'

import { phase } from '@waggle/deployments/protocol'
import Link from 'next/link'
import { useRoundClock } from '#chain/ChainProvider.tsx'

/** Links to the rounds before and after one, up to the newest that peers work on. */
export function RoundNeighbours({ round }: { round: number }) {
  const clock = useRoundClock()
  const newest = clock.state === 'running' ? clock.round - phase.promising : Number.POSITIVE_INFINITY
  const rounds = round > newest ? [newest] : [round - 1, round + 1].filter(at => at >= 0 && at <= newest)
  return (
    <nav aria-label="Neighbouring rounds" className="flex min-h-5 gap-4 text-sm">
      {rounds.map(at => (
        <Link key={at} href={`/rounds/${at}`}>
          Round {at}
        </Link>
      ))}
    </nav>
  )
}
