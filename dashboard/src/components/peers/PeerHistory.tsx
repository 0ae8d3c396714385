import Link from 'next/link'
import { formatNectar } from '#merge/format.ts'
import type { PeerRound } from '#merge/peerHistory.ts'
import { roundHref } from '#merge/rounds/roundHref.ts'
import { PEER_ROUNDS } from '#sources/getPeerRecord.ts'
import { Notice } from '../Notice.tsx'
import { Pager } from '../Pager.tsx'
import { ScoreState } from '../rounds/ScoreState.tsx'
import { Settled } from '../rounds/VoteGrid.tsx'
import { StateBadge } from '../StateBadge.tsx'

/** Rounds on one page of a peer's history. */
const ROWS = 20

interface Props {
  history: PeerRound[]
  page: number
  href: (page: number) => string
}

const head = 'border-b border-line px-2 py-2 font-medium'

/** Work of a peer in each round and its outcome, newest first. */
export function PeerHistory({ history, page, href }: Props) {
  const shown = history.slice((page - 1) * ROWS, page * ROWS)
  return (
    <section aria-labelledby="history" className="mt-12">
      <h2 id="history" className="text-3xl">
        Rounds
      </h2>
      <p className="mt-2 text-soft">
        Votes and settled scores are thousandths of a point. Its newest {PEER_ROUNDS} rounds at most.
      </p>
      {history.length === 0 ? (
        <div className="mt-4">
          <Notice title="This peer has not taken part in a round yet." />
        </div>
      ) : (
        <table className="mt-3 w-full border-collapse text-left">
          <thead className="text-sm text-soft">
            <tr>
              <th className={head}>Round</th>
              <th className={`${head} hidden sm:table-cell`}>State</th>
              <th className={head}>Committed to</th>
              <th className={`${head} hidden sm:table-cell`}>Votes on it</th>
              <th className={`${head} text-right`}>Settled</th>
              <th className={`${head} text-right`}>Nectar</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(row => (
              <Row key={row.round} row={row} />
            ))}
          </tbody>
        </table>
      )}
      <Pager page={page} pages={Math.ceil(history.length / ROWS)} href={href} />
    </section>
  )
}

function Row({ row }: { row: PeerRound }) {
  const votes = row.votesOnIt.map(vote => (vote === null ? 'unavailable' : vote)).join(', ')
  return (
    <tr className="border-b border-line">
      <th scope="row" className="casual px-2 py-2.5 text-lg font-bold">
        <Link href={roundHref(row.round, { shard: row.shard })} className="no-underline hover:underline">
          {row.round}
        </Link>
      </th>
      <td className="hidden px-2 py-2.5 sm:table-cell">
        <StateBadge round={row.round} />
      </td>
      <td className="px-2 py-2.5">
        {committedTo(row)}
        {row.hasWithheld && <span className="block text-xs text-thorn">withheld its secret</span>}
        {row.challenges.map(text => (
          <span key={text} className="block text-xs text-soft">
            {text}
          </span>
        ))}
      </td>
      <td className="figures hidden px-2 py-2.5 text-sm sm:table-cell">{votes || '–'}</td>
      <td className="px-2 py-2.5 text-right">
        {row.rollouts === null ? (
          <span className="text-soft">–</span>
        ) : (
          <>
            <Settled round={row.round} outcome={row.outcome} scoreMilli={row.scoreMilli} />
            {row.outcome !== null && <ScoreState round={row.round} isContested={row.isContested} />}
          </>
        )}
      </td>
      <td className="px-2 py-2.5 text-right">
        <Earned earnings={row.earnings} />
      </td>
    </tr>
  )
}

const earnedBy = { score: 'by its score', opening: 'by openings', task: 'by its tasks' } as const

function Earned({ earnings }: Pick<PeerRound, 'earnings'>) {
  if (earnings.length === 0) return <span className="text-soft">–</span>
  return earnings.map(({ source, amountWei }) => (
    <span key={source} className="block">
      <span className="figures">{formatNectar(amountWei)}</span>
      <span className="block text-xs text-soft">{earnedBy[source]}</span>
    </span>
  ))
}

function committedTo({ tasks, rollouts, voted }: PeerRound): string {
  const parts = [
    tasks === null ? null : `${tasks} tasks`,
    rollouts === null ? null : `${rollouts} rollouts`,
    voted === null ? null : `${voted} votes`,
  ].filter(part => part !== null)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}
