'use client'

import { isClosed } from '#merge/roundState.ts'
import { Notice } from '../Notice.tsx'
import { useRoundState } from '../StateBadge.tsx'

interface Props {
  round: number
  /** Solvers that committed to rollouts, by the chain; null if it is not known. */
  committed: number | null
  /** Whether other problems of the round have solutions. */
  others: boolean
}

/** Why a problem has no solutions: nobody committed in time, or none has come yet. */
export function NoAttempts({ round, committed, others }: Props) {
  const state = useRoundState(round)
  if (isClosed(state) && committed === 0)
    return <Notice title="No solver committed in time, so there are no solutions." />
  return (
    <Notice title="The gateway node has no solutions to this problem yet.">
      {others && 'Filled cells mark problems with solutions.'}
    </Notice>
  )
}
