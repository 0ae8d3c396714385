import type { Source } from '#sources/part.ts'

const widths = ['w-11/12', 'w-3/4', 'w-10/12', 'w-2/3']

const names: Record<Source, string> = { indexer: 'the indexer', gateway: 'the gateway node', chain: 'the chain' }

interface Props {
  lines: number
  title?: string
  /** The source that the part comes from. It is named after two seconds; the line is reserved. */
  waitsFor: Source
}

/** Placeholder of a part that is loading. */
export function Skeleton({ lines, title, waitsFor }: Props) {
  return (
    <div role="status" aria-label={title === undefined ? 'Loading' : `Loading: ${title}`} className="mt-4">
      {title && <h2 className="text-2xl text-soft">{title}</h2>}
      <p className="late mt-1 text-sm text-soft">Waiting for {names[waitsFor]} …</p>
      <div aria-hidden="true" className="mt-2 animate-pulse space-y-4">
        {Array.from({ length: lines }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move.
          <div key={index} className={`h-4 rounded-full bg-line ${widths[index % widths.length]}`} />
        ))}
      </div>
    </div>
  )
}
