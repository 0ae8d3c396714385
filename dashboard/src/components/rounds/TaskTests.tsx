import Link from 'next/link'

/** The tests of a task, as its proposer wrote them. Their outcome stands with each answer. */
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
        Written by the proposer, right or wrong. Once the round has ended, the gateway runs the answers that you open
        with them, in a sandbox. Where it understands the problem, it says which tests are wrong, and they do not count.
        Points come from the judge model alone; how well it fits execution is measured on{' '}
        <Link href="/run#canary">held-out tasks</Link>.
      </p>
    </section>
  )
}
