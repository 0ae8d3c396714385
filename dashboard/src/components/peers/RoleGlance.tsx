import Link from 'next/link'
import { formatNectar } from '#merge/format.ts'
import { evaluatorRows, proposerRows } from '#merge/roleRows.ts'
import type { RolesAnswer } from '#sources/getRoles.ts'
import type { Part } from '#sources/part.ts'
import { PeerLink } from '../PeerLink.tsx'

/** Peers of each role. */
const SHOWN = 5

/**
 * The best paid among the evaluators and proposers that opened votes or proposed most often; nothing if the index is down, which the leaderboard already
 * shows.
 */
export async function RoleGlance({ roles }: { roles: Promise<Part<RolesAnswer>> }) {
  const part = await roles
  if (part.state === 'down') return null
  const byEarned = proposerRows(part.data).toSorted((a, b) => (a.earnedWei < b.earnedWei ? 1 : -1))
  const boards = [
    { id: 'glance-evaluators', title: 'Evaluators', by: 'by openings', rows: evaluatorRows(part.data) },
    { id: 'glance-proposers', title: 'Proposers', by: 'by tasks', rows: byEarned },
  ].filter(({ rows }) => rows.length > 0)
  if (boards.length === 0) return null
  return (
    <div className="mt-12 grid gap-x-10 gap-y-8 sm:grid-cols-2">
      {boards.map(({ id, title, by, rows }) => (
        <section key={id} aria-labelledby={id} className="min-w-0">
          <h2 id={id} className="text-2xl">
            {title}
          </h2>
          <p className="mt-1 text-sm text-soft">Nectar earned {by}, of the most active</p>
          <ol className="mt-2">
            {rows.slice(0, SHOWN).map(row => (
              <li key={row.peerKey} className="flex items-center justify-between gap-3 border-b border-line py-2">
                <PeerLink peer={row} compact />
                <span className="figures">{formatNectar(String(row.earnedWei))}</span>
              </li>
            ))}
          </ol>
        </section>
      ))}
      <p className="text-sm sm:col-span-2">
        <Link href="/roles">All roles, with stakes, Judges and bettors</Link>
      </p>
    </div>
  )
}
