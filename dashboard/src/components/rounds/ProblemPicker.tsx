'use client'

import Link from 'next/link'
import { roundHref } from '#merge/rounds/roundHref.ts'

interface Props {
  all: { taskHash: string; solvers: number }[]
  /** Hash of the problem that the page shows. */
  shown: string
  round: number
  /** Shard of which the page shows the votes. */
  shard: number
}

/**
 * All problems of a round as cells of comb, fuller with more solvers that tried them. A client component, so that the page does not contain
 * its cells twice.
 */
export function ProblemPicker({ all, shown, round, shard }: Props) {
  return (
    <nav aria-label="Problems of this round">
      <ul className="flex max-h-52 flex-wrap gap-1 overflow-y-auto p-1">
        {all.map(({ taskHash, solvers }, index) => {
          const here = taskHash === shown
          const className = here
            ? 'fill-honey stroke-honey-ink'
            : solvers > 0
              ? 'fill-honey-pale stroke-line group-hover:stroke-honey-ink'
              : 'fill-none stroke-line group-hover:stroke-honey-ink'
          return (
            <li key={taskHash}>
              <Link
                href={roundHref(round, { shard, task: taskHash })}
                scroll={false}
                aria-current={here ? 'true' : undefined}
                aria-label={`Problem ${index + 1}, tried by ${solvers} solvers`}
                className="group block"
              >
                <svg width="38" height="42" viewBox="-19 -21 38 42" aria-hidden="true">
                  <path
                    d="M0-19 16.5-9.5V9.5L0 19-16.5 9.5V-9.5Z"
                    strokeWidth="2"
                    strokeLinejoin="round"
                    className={className}
                  />
                  <text
                    y="5"
                    textAnchor="middle"
                    className={`text-sm font-semibold ${here ? 'fill-night' : 'fill-ink'}`}
                  >
                    {index + 1}
                  </text>
                </svg>
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
