import { releasesOf } from '#merge/releasesOf.ts'
import { rolesOf } from '#merge/rolesOf.ts'
import { difficultyOf } from '#merge/tasks/difficultyOf.ts'
import type { SwarmStatus } from '#sources/gateway.ts'
import type { Part } from '#sources/part.ts'
import { PartDown } from '../PartDown.tsx'
import { LevelCells } from './LevelCells.tsx'

/** Facts about the swarm from a node: the current difficulty and the participants. */
export async function SwarmFacts({ status }: { status: Promise<Part<SwarmStatus>> }) {
  const part = await status
  if (part.state === 'down')
    return (
      <div className="mt-6">
        <PartDown part={part} />
      </div>
    )
  const difficulty = difficultyOf(part.data)
  const { roles } = part.data
  const releases = releasesOf(part.data.releases)
  return (
    <dl className="mt-6 flex flex-wrap gap-x-10 gap-y-4 border-t border-line pt-4">
      <div>
        <dt className="text-sm text-soft">Difficulty</dt>
        <dd className="mt-1">{typeof difficulty === 'number' ? <LevelCells level={difficulty} /> : difficulty}</dd>
      </div>
      {roles !== null && (
        <div>
          <dt className="text-sm text-soft">In the swarm</dt>
          <dd className="mt-1 font-medium">{rolesOf(roles) || 'The gateway has met no peer yet'}</dd>
        </div>
      )}
      {releases !== null && (
        <div>
          <dt className="text-sm text-soft">Releases, by number of peers</dt>
          <dd className="figures mt-1">{releases}</dd>
        </div>
      )}
    </dl>
  )
}
