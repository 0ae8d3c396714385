import type { ReactNode } from 'react'
import { formatNectar, formatShare } from '#merge/format.ts'
import { type EvaluatorRow, evaluatorRows, type ProposerRow, proposerRows } from '#merge/roleRows.ts'
import { NEWEST_LEAVES, ROLE_PEERS, type RolesAnswer } from '#sources/getRoles.ts'
import type { Part } from '#sources/part.ts'
import { Notice } from '../Notice.tsx'
import { PeerLink } from '../PeerLink.tsx'
import { Cell, RoleSection, RoleSections, RoleTable } from './RoleTable.tsx'

/** Those who score and those who propose, ranked by what their role is paid for. */
export function RoleTables({ roles }: { roles: Promise<Part<RolesAnswer>> }) {
  return (
    <RoleSections part={roles}>
      {data => (
        <>
          <RoleSection
            id="evaluators"
            title="Evaluators"
            about={`An evaluator is paid if the score that it opens agrees with the committee’s. The table shows the ${ROLE_PEERS} that opened the most votes.`}
          >
            <Evaluators rows={evaluatorRows(data)} />
          </RoleSection>
          <RoleSection
            id="proposers"
            title="Proposers"
            about={`A task teaches most if half of all attempts solve it: its learnability is then 100 %. Proposers are paid by learnability. The figures cover the tasks that were paid, of the newest ${NEWEST_LEAVES.toLocaleString('en')} answers that seats opened.`}
          >
            <Proposers rows={proposerRows(data)} />
          </RoleSection>
        </>
      )}
    </RoleSections>
  )
}

function Evaluators({ rows }: { rows: EvaluatorRow[] }) {
  if (rows.length === 0) return <Notice title="Nobody has taken an evaluator’s seat yet." />
  return (
    <RoleTable
      columns={['Peer', 'Seat', 'Votes opened', 'Missed', 'Staked', 'Earned']}
      wide={['Seat', 'Votes opened', 'Missed']}
    >
      {rows.map(row => (
        <Row key={row.peerKey} row={row}>
          <Cell wide>{row.untilRound === null ? `since round ${row.fromRound}` : `until round ${row.untilRound}`}</Cell>
          <Cell wide>
            {row.votesRevealed} of {row.votesCommitted}
          </Cell>
          <Cell wide>{row.misses === 0 ? 0 : `${row.misses} after round ${row.missedRound}`}</Cell>
        </Row>
      ))}
    </RoleTable>
  )
}

function Proposers({ rows }: { rows: ProposerRow[] }) {
  if (rows.length === 0) return <Notice title="Nobody has proposed a task yet." />
  return (
    <RoleTable
      columns={['Peer', 'Learnability', 'Tasks paid', 'Rounds', 'Staked', 'Earned']}
      wide={['Tasks paid', 'Rounds']}
    >
      {rows.map(row => (
        <Row key={row.peerKey} row={row}>
          <Cell>{row.learnability === null ? '–' : formatShare(row.learnability)}</Cell>
          <Cell wide>{row.tasksPaid}</Cell>
          <Cell wide>{row.roundsProposed}</Cell>
        </Row>
      ))}
    </RoleTable>
  )
}

function Row({ row, children }: { row: EvaluatorRow | ProposerRow; children: ReactNode }) {
  return (
    <tr className="border-b border-line">
      <th scope="row" className="w-full max-w-0 px-2 py-2.5 font-normal">
        <div className="flex min-w-0">
          <PeerLink peer={row} compact />
        </div>
      </th>
      {children}
      <Cell>
        {formatNectar(String(row.stakeWei))}
        {row.slashedWei > 0n && (
          <span className="block text-xs text-thorn">{formatNectar(String(row.slashedWei))} slashed</span>
        )}
        {row.freeFromRound !== null && (
          <span className="block text-xs text-soft">free from round {row.freeFromRound} on</span>
        )}
      </Cell>
      <Cell>{formatNectar(String(row.earnedWei))}</Cell>
    </tr>
  )
}
