import Link from 'next/link'
import { type HomeParameters, PEERS_PER_PAGE } from '#merge/readPage.ts'
import type { Standings } from '#sources/getStandings.ts'
import type { Part } from '#sources/part.ts'
import { Notice } from '../Notice.tsx'
import { Pager } from '../Pager.tsx'
import { PartDown } from '../PartDown.tsx'
import { LeaderboardRow } from './LeaderboardRow.tsx'
import { LeaderboardSearch } from './LeaderboardSearch.tsx'

type Props = HomeParameters & { standings: Promise<Part<Standings>> }

/** Peers by points, with search and pages. */
export async function Leaderboard({ standings, ...board }: Props) {
  const part = await standings
  return (
    <section aria-labelledby="leaderboard" className="min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="leaderboard" className="text-3xl">
          Leaderboard
        </h2>
        <LeaderboardSearch search={board.search} isWhole={board.isWhole} />
      </div>
      <p className="mt-2 max-w-prose text-sm text-soft">
        Solvers, ranked by all their points. <Link href="/roles">Other roles</Link> earn Nectar, not points. The large
        figure counts rounds that are final. Provisional points come from the newest rounds, whose scores anyone may
        still challenge. Contested points wait for a demand or an appeal.
      </p>
      {part.state === 'down' ? (
        <div className="mt-6">
          <PartDown part={part} />
        </div>
      ) : (
        <Board standings={part.data} {...board} />
      )}
    </section>
  )
}

const columns: [title: string, className: string][] = [
  ['Rank', 'w-12 text-right'],
  ['Peer', ''],
  ['Account', 'hidden sm:table-cell'],
  ['Last round', 'hidden text-right md:table-cell'],
  ['From appeals', 'hidden text-right xl:table-cell'],
  ['Points', 'text-right'],
]

function Board({
  standings: { rows, total, registered },
  search,
  page,
  isWhole,
}: HomeParameters & { standings: Standings }) {
  if (rows.length === 0) {
    return (
      <div className="mt-6">
        {search === '' && page === 1 ? (
          <Notice title="No peer has registered yet.">Peers appear here as soon as the chain knows them.</Notice>
        ) : (
          <Notice title={search === '' ? 'There is no such page.' : `No peer matches “${search}”.`}>
            Search for part of a name, of a peer id or of an account.
          </Notice>
        )}
      </div>
    )
  }
  return (
    <>
      <table className="mt-4 w-full border-collapse text-left">
        <thead className="text-sm text-soft">
          <tr>
            {columns.map(([title, className]) => (
              <th
                key={title}
                scope="col"
                className={`border-b border-line px-2 py-2 font-medium whitespace-nowrap ${className}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <LeaderboardRow key={row.peerKey} row={row} />
          ))}
        </tbody>
      </table>
      <Pager
        page={page}
        pages={Math.ceil(total / PEERS_PER_PAGE)}
        href={to => `/?${new URLSearchParams({ q: search, ...(isWhole && { all: '1' }), page: `${to}` })}`}
      />
      {search === '' && total < registered && (
        <p className="mt-4 text-sm">
          <Link href="/?all=1">All {registered} peers, with those that have no points</Link>
        </p>
      )}
    </>
  )
}
