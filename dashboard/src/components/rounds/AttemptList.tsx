'use client'

import { Suspense, useState } from 'react'
import { componentLabel } from '#merge/componentLabel.ts'
import { type Attempt, bestFirst, type NumberedRollout } from '#merge/problems.ts'
import { PeerLink } from '../PeerLink.tsx'
import { Code } from './Code.tsx'
import { CompareAnswers } from './CompareAnswers.tsx'
import { type TestedPart, TestOutcome } from './TestOutcome.tsx'

/** The best answers show at once; the others wait behind a summary. */
const SHOWN = 2

/** `tested` is null for a task without tests. */
type TestedAttempt = Attempt & { tested: TestedPart | null }

/** Answers of each solver, best first. */
export function AttemptList({ attempts }: { attempts: TestedAttempt[] }) {
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

/** One rollout: the text that the model wrote, the components of its score from an evaluator's revealed score sheet, and its tests. */
function RolloutCard({
  rollout: { index, number, text, tokens, ended, components, scoreMilli },
  tested,
}: {
  rollout: NumberedRollout
  tested: TestedPart | null
}) {
  return (
    <li className="min-w-0 rounded-cell border border-line bg-comb">
      <p className="flex items-baseline justify-between gap-3 border-b border-line px-4 py-2 text-sm">
        <span className="text-soft">
          Answer {number}, {tokens} tokens{ended ? '' : ', cut off'}
        </span>
        {scoreMilli === null ? (
          <span className="text-honey-ink">not scored</span>
        ) : (
          <strong className="figures text-lg">{scoreMilli}</strong>
        )}
      </p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
        tabIndex={0}
        aria-label={`Text of answer ${number}`}
        className="overflow-x-auto"
      >
        <pre className="figures px-4 py-3 text-sm leading-relaxed">
          <Code text={text} />
        </pre>
      </section>
      {components && (
        <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1 border-t border-line px-4 py-3 text-sm">
          {Object.entries(components).map(([name, share]) => (
            <Component key={name} name={name} share={share} />
          ))}
        </dl>
      )}
      {tested && (
        <div className="border-t border-line px-4 py-3 text-sm">
          <Suspense fallback={<p className="text-soft">Running its tests …</p>}>
            <TestOutcome tested={tested} index={index} />
          </Suspense>
        </div>
      )}
    </li>
  )
}

function Component({ name, share }: { name: string; share: number }) {
  return (
    <>
      <dt className="text-soft">{componentLabel(name)}</dt>
      <dd className="contents">
        <span aria-hidden="true" className="h-1.5 rounded-full bg-line">
          <span className="block h-1.5 rounded-full bg-amber" style={{ width: `${share * 100}%` }} />
        </span>
        <span className="figures text-right">{share.toFixed(2)}</span>
      </dd>
    </>
  )
}
