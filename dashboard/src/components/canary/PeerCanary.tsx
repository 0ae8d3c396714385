import { canarySeries } from '#merge/canary/canarySeries.ts'
import { canaryVerdict } from '#merge/canary/canaryVerdict.ts'
import type { Canary } from '#sources/gateway.ts'
import type { Part } from '#sources/part.ts'
import { CanaryChart } from './CanaryChart.tsx'
import { CanaryVerdict } from './CanaryVerdict.tsx'
import { JudgeAgreement } from './JudgeAgreement.tsx'

/** A solver's reward next to pass@1 by execution, on held-out tasks; nothing if it has no canary yet. */
export async function PeerCanary({ peerKey, canary }: { peerKey: string; canary: Promise<Part<Canary>> }) {
  const part = await canary
  const points = part.state === 'ready' ? part.data.points.filter(point => point.peerKey === peerKey) : []
  const series = canarySeries(points)[1]
  if (series === undefined) return null
  const last = series.rows.at(-1)
  return (
    <section aria-labelledby="canary" className="mt-12">
      <h2 id="canary" className="text-3xl">
        Reward and execution
      </h2>
      <p className="mt-2 text-soft">
        On held-out tasks, in round {last?.round}: reward {shareText(last?.reward)}, pass@1 {shareText(last?.passAt1)}.
      </p>
      <JudgeAgreement points={points} />
      <div className="mt-4">
        <CanaryVerdict series={series} />
        <CanaryChart
          rows={series.rows}
          label={`${series.name}: reward and pass@1 by execution`}
          height={260}
          alarming={canaryVerdict(series.rows).kind === 'fooling'}
        />
      </div>
    </section>
  )
}

const shareText = (share: number | null | undefined) => (share == null ? 'not measured yet' : share.toFixed(3))
