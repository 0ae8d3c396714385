import { COMMITTEE_SEATS, SHARD_PEERS } from '@waggle/deployments/protocol'
import Link from 'next/link'
import { challengeRows, challengesLeftOut } from '#merge/challengeRows.ts'
import { payRows } from '#merge/payRows.ts'
import { type RoundView, roundHref } from '#merge/rounds/roundHref.ts'
import { voteTable } from '#merge/voteTable.ts'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import type { Part } from '#sources/part.ts'
import { CopyText } from '../CopyText.tsx'
import { Notice } from '../Notice.tsx'
import { Pager } from '../Pager.tsx'
import { PartDown } from '../PartDown.tsx'
import { NamedList } from './NamedList.tsx'
import { VoteGrid } from './VoteGrid.tsx'

interface Props {
  record: Promise<Part<RoundAnswer>>
  round: number
  /** Peers of its shard are those shown. */
  view: RoundView
}

/** Commitments, votes of each evaluator and settled scores: everything here is on the chain. */
export async function VoteSection({ record, round, view }: Props) {
  const part = await record
  return (
    <section aria-labelledby="votes" className="mt-12">
      <h2 id="votes" className="text-3xl">
        Votes and points
      </h2>
      <div className="mt-4">
        {part.state === 'down' ? <PartDown part={part} /> : <Body record={part.data} round={round} view={view} />}
      </div>
    </section>
  )
}

function Body({ record, round, view }: { record: RoundAnswer; round: number; view: RoundView }) {
  const table = voteTable(record)
  const challenges = (
    <NamedList id="challenges" title="Challenges" rows={challengeRows(record)} leftOut={challengesLeftOut(record)} />
  )
  if (table.rows.length === 0) {
    return (
      <>
        {(record.round?.rolloutCommitments ?? 0) > 0 ? (
          <Notice title="There is no such page.">
            <Link href={roundHref(round, { ...view, shard: 0 })}>The first one</Link>
          </Notice>
        ) : (
          <Notice title={`No solver has committed to rollouts for round ${round}.`}>
            {(record.round?.proposals ?? 0) > 0
              ? `${record.round?.tasks ?? 0} tasks are proposed for it.`
              : 'The chain has no record of it so far.'}
          </Notice>
        )}
        {challenges}
      </>
    )
  }
  return (
    <>
      <p className="max-w-prose text-soft">
        A committee of up to five evaluators, drawn by the beacon, scores a peer from 0 to 1000, sealed first and opened
        later. The lower median of the opened votes is settled, if more than half of the committee voted.
      </p>
      <p className="mt-2 max-w-prose text-soft">
        Which rollouts are scored is drawn by the round’s beacon: the hash of a block that came after the round.
      </p>
      {record.round?.beacon != null && <CopyText text={record.round.beacon} label="the beacon" />}
      <VoteGrid table={table} round={round} />
      {table.silentSeats > 0 && (
        <p className="mt-2 text-soft">
          {table.silentSeats} of the {COMMITTEE_SEATS} drawn seats sealed no vote, and have no column:{' '}
          {table.isForgotten
            ? 'the chain no longer knows which seats it drew.'
            : 'the chain, which knows them, does not answer now.'}
        </p>
      )}
      <Pager
        page={view.shard + 1}
        pages={Math.ceil((record.round?.rolloutCommitments ?? 0) / SHARD_PEERS)}
        href={page => roundHref(round, { ...view, shard: page - 1 })}
      />
      {challenges}
      <NamedList id="pay" title="Openings and tasks" rows={payRows(record)} />
    </>
  )
}
