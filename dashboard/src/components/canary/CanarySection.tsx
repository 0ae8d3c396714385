import { type CanarySeries, canarySeries } from '#merge/canary/canarySeries.ts'
import { canaryVerdict } from '#merge/canary/canaryVerdict.ts'
import { noCanary } from '#merge/canary/noCanary.ts'
import type { Canary, SwarmStatus } from '#sources/gateway.ts'
import type { Part } from '#sources/part.ts'
import { Notice } from '../Notice.tsx'
import { PartDown } from '../PartDown.tsx'
import { CanaryChart } from './CanaryChart.tsx'
import { CanaryFamilies } from './CanaryFamilies.tsx'
import { CanaryTable } from './CanaryTable.tsx'
import { CanaryVerdict } from './CanaryVerdict.tsx'
import { HeldOut } from './HeldOut.tsx'
import { JudgeAgreement } from './JudgeAgreement.tsx'

/** Charts beyond this number are left out; the table has the newest rows of every solver. */
const SHOWN_SOLVERS = 6

interface Props {
  canary: Promise<Part<Canary>>
  status: Promise<Part<SwarmStatus>>
  byFamily?: boolean
}

/** Reward next to pass@1 by execution, for all solvers and for each. A solver that learns to fool its judge model is easy to spot. */
export async function CanarySection({ canary, status, byFamily = false }: Props) {
  return (
    <section aria-labelledby="canary" className="mt-16 border-t border-line pt-10">
      <h2 id="canary" className="text-3xl">
        Reward and execution
      </h2>
      <p className="mt-2 max-w-prose text-soft">
        A judge model pays the reward and never runs code. Every few rounds the solvers also try a fixed set of tasks
        that nobody trains on, and there the code is run. Both lines should rise together.
      </p>
      <Body part={await canary} status={status} byFamily={byFamily} />
    </section>
  )
}

function Body({ part, status, byFamily }: Omit<Props, 'canary'> & { part: Part<Canary> }) {
  if (part.state === 'down')
    return (
      <div className="mt-6">
        <PartDown part={part} />
      </div>
    )
  const [all, ...solvers] = canarySeries(part.data.points)
  if (all === undefined)
    return (
      <div className="mt-6">
        <NoCanary status={status} />
      </div>
    )
  return (
    <>
      <div className="mt-6">
        <Chart series={all} height={340} />
      </div>
      <ul className="mt-8 grid gap-x-10 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
        {solvers.slice(0, SHOWN_SOLVERS).map(series => (
          <li key={series.peerKey}>
            <Chart series={series} height={112} small />
          </li>
        ))}
      </ul>
      <JudgeAgreement points={part.data.points} />
      {byFamily && <CanaryFamilies points={part.data.points} />}
      {part.data.heldOut && <HeldOut heldOut={part.data.heldOut} />}
      <CanaryTable points={part.data.points} />
    </>
  )
}

async function NoCanary({ status }: Pick<Props, 'status'>) {
  const part = await status
  const { title, why } = noCanary(part.state === 'ready' ? part.data : null)
  return <Notice title={title}>{why}</Notice>
}

function Chart({ series, height, small = false }: { series: CanarySeries; height: number; small?: boolean }) {
  return (
    <>
      <CanaryVerdict series={series} />
      <CanaryChart
        rows={series.rows}
        label={`${series.name}: reward and pass@1 by execution`}
        height={height}
        alarming={canaryVerdict(series.rows).kind === 'fooling'}
        small={small}
      />
    </>
  )
}
