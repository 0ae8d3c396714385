import { use } from 'react'
import { testResults } from '#merge/tasks/testResults.ts'
import type { Tested } from '#sources/getTested.ts'
import type { Part } from '#sources/part.ts'

/** A gateway's test outcomes of a solver's answers to a task. */
export type TestedPart = Promise<Part<Tested | null>>

/** The outcome of one answer by the tests of its task, where the gateway ran it. Wrong tests stand above all answers. */
export function TestOutcome({ tested, index }: { tested: TestedPart; index: number }) {
  const part = use(tested)
  const results = part.state === 'ready' && part.data !== null ? testResults(part.data, index) : null
  if (results === null) return <p className="text-soft">Tests not run</p>
  const { passed, ran, missed } = results
  return (
    <>
      {ran > 0 ? (
        <p className="font-semibold text-ultraviolet">
          {passed} of {ran} {ran === 1 ? 'test passes' : 'tests pass'}
        </p>
      ) : (
        <p className="text-soft">{missed.length > 0 ? 'Tests not run' : 'No test counts'}</p>
      )}
      {missed.length > 0 && (
        <ul className="mt-1 space-y-1">
          {missed.map(({ test, outcome }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a task may bring a test twice, and they never move.
            <li key={place} className="wrap-anywhere">
              <code className="figures">{test}</code> <span className="text-thorn">{outcome}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
