import { formatShare } from '#merge/format.ts'
import type { HeldOut as Measured } from '#sources/gateway.ts'

/** Pass@1 on held-out tasks by execution, before and after the run. */
export function HeldOut({ heldOut: { level, tasks, solvers } }: { heldOut: Measured }) {
  return (
    <div className="mt-8">
      <h3 className="text-xl">Before and after</h3>
      <p className="mt-1 text-sm text-soft">
        Pass@1 by execution on {tasks} held-out tasks of level {level}, with the same sampling seeds both times.
      </p>
      <ul className="mt-4 grid gap-x-10 gap-y-3 sm:grid-cols-3">
        {solvers.map(({ name, before, after }) => (
          <li key={name}>
            <p className="casual font-semibold">{name}</p>
            <p className="figures">
              <span className="sr-only">from </span>
              {formatShare(before)} <span aria-hidden="true">→</span>
              <span className="sr-only">to</span> <strong className="text-ultraviolet">{formatShare(after)}</strong>
            </p>
            <div aria-hidden="true" className="relative mt-1 h-2 rounded-full bg-line">
              <div
                className="absolute inset-y-0 left-0 rounded-full bg-ultraviolet"
                style={{ width: `${after * 100}%` }}
              />
              <div className="absolute -inset-y-1 w-0.5 bg-ink" style={{ left: `${before * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
