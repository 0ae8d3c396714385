'use client'

import { useState } from 'react'
import { type Attempt, bestFirst, type NumberedRollout } from '#merge/problems.ts'
import { Notice } from '../Notice.tsx'
import { PeerLink } from '../peers/PeerLink.tsx'
import { CompareAnswers } from './CompareAnswers.tsx'
import { RolloutCard } from './RolloutCard.tsx'
import type { TestedPart } from './TestOutcome.tsx'

/** The best answers show at once; the others wait behind a summary. */
const SHOWN = 2

/** `tested` is null for a task without tests. */
type TestedAttempt = Attempt & { tested: TestedPart | null }

/** Answers of each solver, best first. */
export function AttemptList({ attempts }: { attempts: TestedAttempt[] }) {
  if (attempts.length === 0)
    return <Notice title="Nobody’s solutions to this problem are known here yet.">Try another problem above.</Notice>
  return (
    <ul className="min-w-0 space-y-10">
      {attempts.map(attempt => {
        const ordered = bestFirst(attempt.rollouts)
        const rest = ordered.slice(SHOWN)
        return (
          <li key={attempt.peerKey}>
            <PeerLink peer={attempt} />
            <ul className="mt-3 grid gap-4 xl:grid-cols-2">
              {ordered.slice(0, SHOWN).map(rollout => (
                <RolloutCard key={rollout.index} rollout={rollout} tested={attempt.tested} />
              ))}
            </ul>
            {rest.length > 0 && <Rest rollouts={rest} tested={attempt.tested} />}
            {ordered.length > 1 && <CompareAnswers name={attempt.name} rollouts={ordered} />}
          </li>
        )
      })}
    </ul>
  )
}

/** Rendered on demand: most of a page's answers are here. */
function Rest({ rollouts, tested }: { rollouts: NumberedRollout[]; tested: TestedPart | null }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mt-3" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="py-1 text-sm font-medium text-soft underline">
        {rollouts.length} more {rollouts.length === 1 ? 'answer' : 'answers'}
      </summary>
      {isOpen && (
        <ul className="mt-3 grid gap-4 xl:grid-cols-2">
          {rollouts.map(rollout => (
            <RolloutCard key={rollout.index} rollout={rollout} tested={tested} />
          ))}
        </ul>
      )}
    </details>
  )
}
