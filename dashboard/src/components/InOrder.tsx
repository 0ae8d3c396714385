import { type ReactNode, Suspense } from 'react'

/** A part of a page that streams in, and its placeholder. */
export interface StreamedPart {
  part: ReactNode
  skeleton: ReactNode
}

/**
 * Parts one below the other, none shown before those above it: a skeleton never is as high as its part, and what a reader sees would move down
 * with each that comes. All load at once.
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
