import { type ReactNode, Suspense } from 'react'

/** A part of a page that streams in, and its placeholder. */
export interface StreamedPart {
  part: ReactNode
  skeleton: ReactNode
}

/**
 * Parts in a column, each shown only after those above it, which avoids layout shifts: a skeleton is never as high as its part. All load
 * concurrently.
 */
export function InOrder({ parts }: { parts: readonly StreamedPart[] }) {
  const [first, ...rest] = parts
  if (first === undefined) return null
  return (
    <Suspense fallback={<Skeletons parts={parts} />}>
      {first.part}
      <InOrder parts={rest} />
    </Suspense>
  )
}

function Skeletons({ parts }: { parts: readonly StreamedPart[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a page never move.
  return parts.map(({ skeleton }, place) => <div key={place}>{skeleton}</div>)
}
