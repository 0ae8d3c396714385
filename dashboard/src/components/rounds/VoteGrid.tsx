'use client'

import type { Outcome, Vote, VoteRow, VoteTable } from '#merge/voteTable.ts'
import { PeerLink } from '../PeerLink.tsx'
import { NotSettled } from './NotSettled.tsx'
import { ScoreState } from './ScoreState.tsx'

const head = 'border-b border-line px-2 py-2 text-left align-bottom font-medium'

/** Stays visible while the votes scroll. */
const staying = 'sm:sticky right-0 bg-wax'

/**
 * Peers down, evaluators across, the settled score at the end; on a phone each peer's votes lie under it, by name. A client component, so
 * that the page does not contain the table twice.
 */
export function VoteGrid({ table: { evaluators, rows }, round }: { table: VoteTable; round: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
    <section className="mt-4 overflow-x-auto" aria-label="Votes by peer and evaluator" tabIndex={0}>
      <table className="w-full border-collapse max-sm:block sm:min-w-2xl">
        <thead className="text-sm max-sm:hidden">
          <tr>
            <th scope="col" className={`${head} text-soft`}>
              Peer
            </th>
            <th scope="col" className={`${head} text-right text-soft`}>
              Rollouts
            </th>
            {evaluators.map(evaluator => (
              <th key={evaluator.peerKey} scope="col" className={`${head} max-w-40`}>
                <PeerLink peer={evaluator} compact />
              </th>
            ))}
            <th scope="col" className={`${head} ${staying} text-right text-soft`}>
              Settled
            </th>
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map(row => (
            <Row key={row.peer.peerKey} row={row} evaluators={evaluators} round={round} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface RowProps {
  row: VoteRow
  evaluators: VoteTable['evaluators']
  round: number
}

function Row({ row, evaluators, round }: RowProps) {
  return (
    <tr className="voted">
      <th scope="row" className="voter">
        <PeerLink peer={row.peer} />
        {row.rollouts !== null && <span className="remark sm:hidden">{`${row.rollouts} rollouts`}</span>}
      </th>
      <td className="rollouts">{row.rollouts}</td>
      {evaluators.map((evaluator, index) => (
        <td key={evaluator.peerKey} className="vote">
          {/* Short markup: the page of a large round has thousands of votes. */}
          <b>{evaluator.name}</b>
          <VoteMark vote={row.votes[index] ?? 'absent'} />
        </td>
      ))}
      <td className="settled">
        <Settled round={round} outcome={row.outcome} scoreMilli={row.scoreMilli} />
        {row.outcome !== null && <ScoreState round={round} isContested={row.isContested} />}
      </td>
    </tr>
  )
}

function VoteMark({ vote }: { vote: Vote }) {
  if (vote === 'absent') return <span className="text-sm text-soft">no vote</span>
  if (vote === 'sealed') return <span className="text-sm text-honey-ink">sealed</span>
  if (vote === 'unavailable') return <span className="text-sm text-thorn">unavailable</span>
  return <i>{vote}</i>
}

interface SettledProps {
  round: number
  outcome: Outcome | null
  scoreMilli: number | null
}

export function Settled({ round, outcome, scoreMilli }: SettledProps) {
  if (outcome === null) return <NotSettled round={round} />
  if (outcome === 'falseLeaf') return <span className="text-sm text-thorn">a false leaf, 0</span>
  if (outcome === 'withheld') return <span className="text-sm text-thorn">a leaf withheld, 0</span>
  if (outcome === 'void') return <span className="text-sm text-soft">void</span>
  if (outcome === 'noQuorum') return <span className="text-sm text-soft">no quorum</span>
  if (outcome === 'unavailable')
    return (
      <span className="text-sm text-thorn" title="Most votes were 'unavailable': no score, and no points">
        unavailable
      </span>
    )
  return <strong className="figures text-lg">{scoreMilli}</strong>
}
