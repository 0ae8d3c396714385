import Link from 'next/link'
import type { Problem } from '#merge/problems.ts'

/** All problems of a round as cells of comb: fuller with more solvers that tried them. */
export function ProblemPicker({ all, shown }: { all: Problem[]; shown: Problem }) {
  return (
    <nav aria-label="Problems of this round">
      <ul className="flex max-h-52 flex-wrap gap-1 overflow-y-auto p-1">
        {all.map((problem, index) => {
          const here = problem.taskHash === shown.taskHash
          const className = here
            ? 'fill-honey stroke-honey-ink'
            : problem.attempts.length > 0
              ? 'fill-honey-pale stroke-line group-hover:stroke-honey-ink'
              : 'fill-none stroke-line group-hover:stroke-honey-ink'
          return (
            <li key={problem.taskHash}>
              <Link
                href={`?task=${problem.taskHash}`}
                scroll={false}
                aria-current={here ? 'true' : undefined}
                aria-label={`Problem ${index + 1}, tried by ${problem.attempts.length} solvers`}
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
