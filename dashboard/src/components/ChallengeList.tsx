import type { ChallengeRow } from '#merge/challengeRows.ts'
import { PeerLink } from './PeerLink.tsx'

/** What was contested in a round, and what came of it. */
export function ChallengeList({ rows }: { rows: ChallengeRow[] }) {
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="challenges" className="mt-8">
      <h3 id="challenges" className="text-xl">
        Challenges
      </h3>
      <ul className="mt-2">
        {rows.map(({ key, peer, text }) => (
          <li key={key} className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-2">
            <PeerLink peer={peer} compact />
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
