'use client'

import { isClosed } from '#merge/roundState.ts'
import { useRoundState } from '../StateBadge.tsx'

interface Props {
  round: number
  tasks: number
  /** Solvers that committed to rollouts. */
  commitments: number
}

/** Why a round that is not settled has no mean reward, which the columns that say so do not on a phone. A dash while tasks and solvers may still come. */
export function NoMean({ round, ...found }: Props) {
  const state = useRoundState(round)
  return <span className="text-sm text-soft">{isClosed(state) ? whyNone(found) : '–'}</span>
}

function whyNone({ tasks, commitments }: Omit<Props, 'round'>): string {
  if (commitments === 0) return tasks === 0 ? 'no tasks' : 'no solvers'
  return 'not settled'
}
