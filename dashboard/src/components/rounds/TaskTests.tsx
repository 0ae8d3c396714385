import Link from 'next/link'

/** The tests of a task. Answers of a round are never executed, so no result stands next to them. */
export function TaskTests({ tests }: { tests: readonly string[] }) {
  if (tests.length === 0) return null
  return (
    <section aria-labelledby="tests">
      <h3 id="tests" className="mt-6 text-xl">
        Tests
      </h3>
      <pre className="mt-3 rounded-cell border border-line bg-comb px-4 py-3 whitespace-pre-wrap wrap-anywhere figures text-sm">
        {tests.join('\n')}
      </pre>
      <p className="mt-2 text-sm text-soft">
        Not run: a judge model scores the answers. Execution is measured on{' '}
        <Link href="/run#canary">held-out tasks</Link>.
      </p>
    </section>
  )
}
