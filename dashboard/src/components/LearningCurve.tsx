import { meanReward } from '#merge/meanReward.ts'
import type { RoundList } from '#sources/getRounds.ts'
import type { Part } from '#sources/part.ts'
import { Notice } from './Notice.tsx'
import { PartDown } from './PartDown.tsx'
import { RewardChart } from './RewardChart.tsx'

/** Mean settled score of the swarm's rounds. */
export async function LearningCurve({ rounds }: { rounds: Promise<Part<RoundList>> }) {
  const part = await rounds
  return (
    <section aria-labelledby="curve" className="mt-12">
      <h2 id="curve" className="text-3xl">
        Reward
      </h2>
      <div className="mt-4">{part.state === 'down' ? <PartDown part={part} /> : <Curve {...part.data} />}</div>
    </section>
  )
}

function Curve({ rows }: RoundList) {
  const scores = rows
    .flatMap(row => {
      const score = meanReward(row)
      return score === null ? [] : [{ round: row.number, score }]
    })
    .reverse()
  if (scores.length === 0) return <Notice title="No round has been settled yet." />
  return <RewardChart scores={scores} label="Mean settled score by round" />
}
