import type { NamedPeer } from '#merge/voteTable.ts'
import { PeerLink } from '../PeerLink.tsx'

interface Props {
  id: string
  title: string
  /** A text follows its peer's name. */
  rows: { key: string; peer: NamedPeer; text: string }[]
  /** Number of further events that are not listed. */
  leftOut?: number
}

/** Events of some peers in a round; nothing if there are none. */
export function NamedList({ id, title, rows, leftOut = 0 }: Props) {
  if (rows.length === 0) return null
  return (
    <section aria-labelledby={id} className="mt-8">
      <h3 id={id} className="text-xl">
        {title}
      </h3>
      <ul className="mt-2">
        {rows.map(({ key, peer, text }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 border-b border-line py-2">
            <PeerLink peer={peer} compact />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {leftOut > 0 && <p className="mt-2 text-soft">And {leftOut} more.</p>}
    </section>
  )
}
