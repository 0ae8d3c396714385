import Link from 'next/link'
import { formatNectar, shorten } from '#merge/format.ts'
import { formatProfit } from '#merge/formatTokens.ts'
import { type BettorRow, bettorRows, type JudgeRow, judgeRows } from '#merge/games/marketRows.ts'
import type { MarketRoles } from '#sources/market/getMarketRoles.ts'
import type { Part } from '#sources/part.ts'
import { DanceGlyph } from '../DanceGlyph.tsx'
import { Notice } from '../Notice.tsx'
import { Cell, RoleSection, RoleSections, RoleTable } from '../peers/RoleTable.tsx'

/** Rows of a table. */
const SHOWN = 50

/** Judges and bettors of the market, ranked by their winnings. */
export function MarketTables({ roles }: { roles: Promise<Part<MarketRoles>> }) {
  return (
    <RoleSections part={roles}>
      {data => (
        <>
          <RoleSection
            id="judges"
            title="Judges"
            about="A Judge opens games with a bond behind its answer, and is paid a part of the losing stakes if the answer stands."
          >
            <Judges rows={judgeRows(data).slice(0, SHOWN)} />
          </RoleSection>
          <RoleSection
            id="bettors"
            title="Bettors"
            about="Ranked by profit, claimed or not, in the newest games that have a winner. Brier score: how far stakes were from the outcome; 0 is best. The market’s is that of all stakes in the same games."
          >
            <Bettors rows={bettorRows(data).slice(0, SHOWN)} />
          </RoleSection>
        </>
      )}
    </RoleSections>
  )
}

function Judges({ rows }: { rows: JudgeRow[] }) {
  if (rows.length === 0) return <Notice title="Nobody has opened a game yet." />
  return (
    <RoleTable columns={['Judge', 'Games', 'Answers that stood', 'Bonded', 'Earned']} wide={['Games', 'Bonded']}>
      {rows.map(row => (
        <tr key={row.account} className="border-b border-line">
          <Account row={row} />
          <Cell wide>{row.games}</Cell>
          <Cell>
            {row.stood} of {row.answered}
          </Cell>
          <Cell wide>{formatNectar(String(row.bonded))}</Cell>
          <Cell>{formatNectar(String(row.earned))}</Cell>
        </tr>
      ))}
    </RoleTable>
  )
}

function Bettors({ rows }: { rows: BettorRow[] }) {
  if (rows.length === 0) return <Notice title="No game with bets has a winner yet." />
  return (
    <RoleTable
      columns={['Bettor', 'Games', 'Brier', 'Market', 'Staked', 'To claim', 'Won']}
      wide={['Games', 'Market', 'Staked', 'To claim']}
    >
      {rows.map(row => (
        <tr key={row.account} className="border-b border-line">
          <Account row={row} />
          <Cell wide>{row.games}</Cell>
          <Cell>{row.brier.toFixed(2)}</Cell>
          <Cell wide>{row.marketBrier.toFixed(2)}</Cell>
          <Cell wide>{formatNectar(String(row.staked))}</Cell>
          <Cell wide>{formatNectar(String(row.claimable))}</Cell>
          <Cell>
            <Won amount={row.won - row.staked} />
          </Cell>
        </tr>
      ))}
    </RoleTable>
  )
}

function Won({ amount }: { amount: bigint }) {
  return <span className={amount === 0n ? '' : amount < 0n ? 'text-thorn' : 'text-leaf'}>{formatProfit(amount)}</span>
}

/** Leads to an account's bets; a peer of it says whose it is. */
function Account({ row: { account, peer } }: { row: { account: string; peer: JudgeRow['peer'] } }) {
  return (
    <th scope="row" className="w-full max-w-0 px-2 py-2.5 font-normal">
      <Link href={`/bettors/${account}`} className="group inline-flex min-w-0 items-center gap-2.5 no-underline">
        {peer && <DanceGlyph peerKey={peer.peerKey} size={24} />}
        <span className={`truncate font-semibold group-hover:underline ${peer ? 'casual' : 'figures'}`}>
          {peer ? peer.name : shorten(account, 6, 4)}
        </span>
      </Link>
    </th>
  )
}
