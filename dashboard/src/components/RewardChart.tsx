import { Plot } from './Plot.tsx'

interface Props {
  /** Oldest first. */
  scores: { round: number; score: number }[]
  label?: string
}

/** Settled scores, a bar for each round. */
export function RewardChart({ scores, label = 'Settled score by round' }: Props) {
  const rounds = scores.map(({ round }) => round)
  return (
    <Plot
      label={label}
      height={260}
      domain={[Math.min(...rounds) - 0.5, Math.max(...rounds) + 0.5]}
      formatX={String}
      shares={[0, 0.25, 0.5, 0.75, 1]}
      formatShare={String}
      readings={scores.map(({ round, score }) => ({ at: round, text: `Round ${round}: ${score.toFixed(3)}` }))}
    >
      {({ x, y }) =>
        scores.map(({ round, score }) => (
          <rect
            key={round}
            data-bar=""
            x={x(round - 0.41)}
            width={x(round + 0.41) - x(round - 0.41)}
            y={y(score)}
            height={y(0) - y(score)}
            fill="var(--amber)"
          />
        ))
      }
    </Plot>
  )
}
