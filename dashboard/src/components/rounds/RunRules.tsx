import { runRules } from '#merge/runRules.ts'
import type { SwarmStatus } from '#sources/gateway.ts'
import type { Part } from '#sources/part.ts'

/** The rules of the environment that matter to a reader; the chain has the hash of all of them. */
export async function RunRules({ status }: { status: Promise<Part<SwarmStatus>> }) {
  const part = await status
  const rules = part.state === 'ready' ? runRules(part.data.environment) : []
  if (rules.length === 0) return null
  return (
    <section aria-labelledby="rules" className="mt-10">
      <h2 id="rules" className="text-3xl">
        Environment
      </h2>
      <dl className="mt-4 grid gap-x-10 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {rules.map(({ title, value }) => (
          <div key={title} className="min-w-0 border-t border-line pt-2">
            <dt className="text-sm text-soft">{title}</dt>
            <dd className="figures mt-0.5 break-all">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
