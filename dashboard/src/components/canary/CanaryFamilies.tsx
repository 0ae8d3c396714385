import { familyRows } from '#merge/canary/familyRows.ts'
import { formatShare } from '#merge/format.ts'
import type { CanaryPoint } from '#sources/gateway.ts'
import { CanaryHeadLine } from './CanaryHeadLine.tsx'

/** Pass@1 by execution for each family of tasks; nothing where the environment has none. */
export function CanaryFamilies({ points }: { points: readonly CanaryPoint[] }) {
  const families = familyRows(points)
  if (families === null) return null
  const { firstRound, newestRound, rows } = families
  const hasFirst = firstRound < newestRound
  const rounds = hasFirst ? [`Round ${firstRound}`, `Round ${newestRound}`] : [`Round ${newestRound}`]
  return (
    <div className="mt-8">
      <h3 className="text-xl">By family of tasks</h3>
      <table className="mt-3 w-full max-w-xl text-left text-sm">
        <caption className="pb-2 text-left text-soft">Pass@1 by execution, of all solvers together.</caption>
        <CanaryHeadLine titles={['Family', ...rounds, 'Samples']} />
        <tbody>
          {rows.map(({ family, first, newest, samples }) => (
            <tr key={family} className="border-b border-line">
              <th scope="row" className="py-1.5 pr-4 font-medium">
                {family}
              </th>
              {hasFirst && <td className="figures py-1.5 pr-4">{first === null ? '–' : formatShare(first)}</td>}
              <td className="figures py-1.5 pr-4">{formatShare(newest)}</td>
              <td className="figures py-1.5 pr-4">{samples}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
