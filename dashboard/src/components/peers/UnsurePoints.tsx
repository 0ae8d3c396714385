import { formatPoints } from '#merge/format.ts'

interface Props {
  points: { provisionalPointsMilli: number; contestedPointsMilli: number; contestedRounds: number }
  className: string
}

/** Points that may still change: those of rounds that are not final, and contested ones. */
export function UnsurePoints({ points, className }: Props) {
  const { provisionalPointsMilli, contestedPointsMilli, contestedRounds } = points
  return (
    <>
      {provisionalPointsMilli > 0 && (
        <span className={`figures text-honey-ink ${className}`}>
          +{formatPoints(provisionalPointsMilli)}
          <span className="font-sans"> provisional</span>
        </span>
      )}
      {contestedRounds > 0 && (
        <span className={`figures text-thorn ${className}`} title={contestedIn(contestedRounds)}>
          +{formatPoints(contestedPointsMilli)}
          <span className="font-sans"> contested</span>
        </span>
      )}
    </>
  )
}

function contestedIn(rounds: number): string {
  return `A demand or an appeal is open against ${rounds === 1 ? 'one round' : `${rounds} rounds`}`
}
