const widths = ['w-11/12', 'w-3/4', 'w-10/12', 'w-2/3']

/** Placeholder of a part that is loading. */
export function Skeleton({ lines, title }: { lines: number; title?: string }) {
  return (
    <div role="status" aria-label={title === undefined ? 'Loading' : `Loading: ${title}`} className="mt-4">
      {title && <h2 className="text-2xl text-soft">{title}</h2>}
      <div aria-hidden="true" className="mt-4 animate-pulse space-y-4">
        {Array.from({ length: lines }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move.
          <div key={index} className={`h-4 rounded-full bg-line ${widths[index % widths.length]}`} />
        ))}
      </div>
    </div>
  )
}
