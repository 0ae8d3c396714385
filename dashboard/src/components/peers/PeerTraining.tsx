import { shorten } from '#merge/format.ts'
import { takenGroups, trainingFacts, trainingFigures } from '#merge/trainingFigures.ts'
import { getPeerNames } from '#sources/getPeerNames.ts'
import type { Training } from '#sources/getTraining.ts'
import type { Part } from '#sources/part.ts'
import { FigureChart } from '../FigureChart.tsx'
import { PeerLink } from '../PeerLink.tsx'

/** Peers that are named; the rest gave fewer groups. */
const NAMED = 12

/**
 * Training figures of a solver or a learning proposer, as reported by its operator; nothing if the gateway has none, as for peers of other
 * operators.
 */
export async function PeerTraining({ training }: { training: Promise<Part<Training | null>> }) {
  const part = await training
  if (part.state === 'down' || part.data === null || part.data.steps.length === 0) return null
  const figures = trainingFigures(part.data)
  return (
    <section aria-labelledby="training" className="mt-12">
      <h2 id="training" className="text-3xl">
        Training
      </h2>
      <p className="mt-2 text-soft">
        The operator’s own report, from the peer's folder: nobody else checks these figures, and nothing is paid by
        them.
      </p>
      <dl className="mt-4 grid gap-x-10 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {trainingFacts(part.data, Date.now()).map(({ title, value }) => (
          <div key={title} className="min-w-0 border-t border-line pt-2">
            <dt className="text-sm text-soft">{title}</dt>
            <dd className="figures mt-0.5 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-8 grid gap-x-10 gap-y-8 md:grid-cols-2">
        {figures.map(series => (
          <FigureChart key={series.name} {...series} />
        ))}
      </div>
      <Taken from={takenGroups(part.data.steps).slice(0, NAMED)} />
    </section>
  )
}

async function Taken({ from }: { from: ReturnType<typeof takenGroups> }) {
  if (from.length === 0) return null
  const names = await getPeerNames(from.map(({ peerKey }) => peerKey))
  return (
    <>
      <h3 className="mt-8 text-xl">Groups taken from others</h3>
      <ul className="mt-2 flex flex-wrap gap-x-6 gap-y-2 text-sm">
        {from.map(({ peerKey, groups }) => (
          <li key={peerKey} className="flex items-center gap-2">
            <PeerLink peer={names.get(peerKey) ?? { peerKey, peerId: '', name: shorten(peerKey) }} compact />
            {groups} {groups === 1 ? 'group' : 'groups'}
          </li>
        ))}
      </ul>
    </>
  )
}
