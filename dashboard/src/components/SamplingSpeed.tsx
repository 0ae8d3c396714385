import { samplingSpeed } from '#merge/samplingSpeed.ts'
import type { Sampled } from '#sources/getSampled.ts'
import type { Part } from '#sources/part.ts'

interface Props {
  sampled: Promise<Part<Sampled | null>>
  /** Solver whose speed is shown; the whole swarm by default. */
  peerKey?: string
}

/** Tokens a second, as anyone can count them from the payloads. */
export async function SamplingSpeed({ sampled, peerKey }: Props) {
  const part = await sampled
  const found = part.state === 'ready' && part.data !== null ? samplingSpeed(part.data, peerKey) : null
  return <SpeedFigure {...(found ?? { speed: '–', note: 'the gateway has no payload of the last round to count' })} />
}

/** A figure of constant height. */
export function SpeedFigure({ speed, note }: { speed: string; note: string }) {
  return (
    <dl className="mt-6 border-t border-line pt-2">
      <dt className="text-sm text-soft">Tokens a second</dt>
      <dd className="mt-0.5">
        <span className="figures text-2xl font-semibold">{speed}</span>{' '}
        <span className="text-sm text-soft">{note}</span>
      </dd>
    </dl>
  )
}
