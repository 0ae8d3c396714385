import Link from 'next/link'
import { formatShare } from '#merge/format.ts'
import { meanReward } from '#merge/meanReward.ts'
import { ROUNDS_PER_PAGE } from '#merge/readPage.ts'
import type { RoundList, RoundTotals } from '#sources/getRounds.ts'
import type { Part } from '#sources/part.ts'
import { Notice } from '../Notice.tsx'
import { Pager } from '../Pager.tsx'
import { PartDown } from '../PartDown.tsx'
import { StateBadge } from '../StateBadge.tsx'
import { NoMean } from './NoMean.tsx'

const columns: [title: string, className: string][] = [
  ['Round', ''],
  ['State', ''],
  ['Tasks', 'hidden text-right sm:table-cell'],
  ['Rollouts', 'hidden text-right sm:table-cell'],
  ['Solvers', 'hidden text-right md:table-cell'],
  ['Votes opened', 'hidden text-right md:table-cell'],
  ['Settled', 'hidden text-right sm:table-cell'],
  ['Mean reward', 'whitespace-nowrap sm:pl-6'],
]

/** Rounds in which something happened, newest first. */
export async function RoundsTable({ rounds, page }: { rounds: Promise<Part<RoundList>>; page: number }) {
  const part = await rounds
  if (part.state === 'down')
    return (
      <div className="mt-8">
        <PartDown part={part} />
      </div>
    )
  const { rows, total } = part.data
  if (rows.length === 0)
    return (
      <div className="mt-8">
        <Notice title={page === 1 ? 'No round has begun yet.' : 'There is no such page.'}>
          A round appears here once somebody commits to tasks or rollouts for it.
        </Notice>
      </div>
    )
  return (
    <>
      <table className="mt-8 w-full border-collapse text-left">
        <thead className="text-sm text-soft">
          <tr>
            {columns.map(([title, className]) => (
              <th key={title} scope="col" className={`border-b border-line px-2 py-2 font-medium ${className}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(round => (
            <Row key={round.number} round={round} />
          ))}
        </tbody>
      </table>
      <Pager page={page} pages={Math.ceil(total / ROUNDS_PER_PAGE)} href={to => `/rounds?page=${to}`} />
    </>
  )
}

function Row({ round }: { round: RoundTotals }) {
  const mean = meanReward(round)
  const unscored = round.settled - round.scored - round.void
  const figure = 'figures px-2 py-2.5 text-right'
  return (
    <tr className="relative border-b border-line hover:bg-comb">
      <th scope="row" className="casual px-2 py-2.5 text-xl font-bold">
        <Link href={`/rounds/${round.number}`} className="no-underline after:absolute after:inset-0">
          {round.number}
        </Link>
      </th>
      <td className="px-2 py-2.5">
        <StateBadge round={round.number} />
      </td>
      <td className={`${figure} hidden sm:table-cell`}>{round.tasks}</td>
      <td className={`${figure} hidden sm:table-cell`}>{round.rollouts}</td>
      <td className={`${figure} hidden md:table-cell`}>{round.rolloutCommitments}</td>
      <td className={`${figure} hidden md:table-cell`}>
        {round.votesRevealed} of {round.votesCommitted}
      </td>
      <td className={`${figure} hidden sm:table-cell`}>{round.settled}</td>
      <td className="px-2 py-2.5 sm:w-[28%] sm:pl-6">
        {mean !== null && <Bar share={mean} />}
        {unscored > 0 && (
          <span
            className="block text-sm text-thorn"
            title="Too few votes, most of them 'unavailable', or lost: no score, not 0"
          >
            {unscored} of {round.settled} not scored
          </span>
        )}
        {round.void > 0 && (
          <span className="text-sm text-soft" title="Its beacon was never recorded: no score, without fault of anyone">
            void
          </span>
        )}
        {round.settled === 0 && (
          <NoMean round={round.number} tasks={round.tasks} commitments={round.rolloutCommitments} />
        )}
      </td>
    </tr>
  )
}

function Bar({ share }: { share: number }) {
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden="true" className="h-2 flex-1 rounded-full bg-line max-sm:hidden">
        <span className="block h-2 rounded-full bg-amber" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="figures w-14 text-right">{formatShare(share)}</span>
    </span>
  )
}
