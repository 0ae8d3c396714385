import Link from 'next/link'
import { formatNectar, formatPoints, shorten } from '#merge/format.ts'
import type { Standing } from '#sources/getStandings.ts'
import { PeerLink } from '../PeerLink.tsx'
import { UnsurePoints } from './UnsurePoints.tsx'

/** One peer's line: points that stand, and under them those of rounds that are not final yet. */
export function LeaderboardRow({ row }: { row: Standing }) {
  return (
    <tr className="border-b border-line hover:bg-comb">
      <td className="figures w-12 px-2 py-2.5 text-right text-soft">{row.rank}</td>
      <td className="w-full max-w-0 px-2 py-2.5">
        <PeerLink peer={row} />
      </td>
      <td className="figures hidden px-2 py-2.5 text-sm whitespace-nowrap sm:table-cell" title={row.account}>
        {shorten(row.account)}
      </td>
      <td className="figures hidden px-2 py-2.5 text-right text-sm md:table-cell">
        {row.lastActiveRound === null ? (
          '–'
        ) : (
          <Link href={`/rounds/${row.lastActiveRound}`}>{row.lastActiveRound}</Link>
        )}
      </td>
      <td
        className="figures hidden px-2 py-2.5 text-right text-sm xl:table-cell"
        title="Nectar that overturned seats paid to its account"
      >
        {row.compensationWei === '0' ? '–' : formatNectar(row.compensationWei)}
      </td>
      <td className="px-2 py-2.5 text-right whitespace-nowrap">
        <span className="figures block text-lg leading-tight font-semibold">{formatPoints(row.finalPointsMilli)}</span>
        <UnsurePoints points={row} className="block text-xs" />
      </td>
    </tr>
  )
}
