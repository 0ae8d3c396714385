import { Suspense } from 'react'
import { wrongTests } from '#merge/tasks/wrongTests.ts'
import type { Tested } from '#sources/getTested.ts'
import type { TestedPart } from './TestOutcome.tsx'

/** Answers below must not move once the gateway has run the tests. */
const LINE = 'mb-4 min-h-12 max-w-prose text-sm text-soft sm:min-h-6'

/** The wrong tests of a problem, once above all of its answers: they are wrong for each. */
export function WrongTests({ tested }: { tested: readonly TestedPart[] }) {
  if (tested.length === 0) return null
  return (
    <Suspense fallback={<p className={LINE}>Running its tests …</p>}>
      <Told tested={tested} />
    </Suspense>
  )
}

async function Told({ tested }: { tested: readonly TestedPart[] }) {
  const found = await firstRun(tested)
  if (found === null) return <p className={LINE}>The gateway has run none of its tests.</p>
  const { wrong, all } = wrongTests(found)
  if (wrong.length === 0) return <p className={LINE}>None of its tests is known to be wrong.</p>
  return (
    <div className={LINE}>
      {all ?? (
        <ul>
          {wrong.map((test, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a task may bring a test twice, and they never move.
            <li key={place} className="wrap-anywhere">
              <code className="figures">{test}</code> is wrong: the problem asks for another value
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Null if the gateway ran the tests for no solver. */
async function firstRun(tested: readonly TestedPart[]): Promise<Tested | null> {
  for (const due of tested) {
    const part = await due
    if (part.state === 'ready' && part.data !== null) return part.data
  }
  return null
}
