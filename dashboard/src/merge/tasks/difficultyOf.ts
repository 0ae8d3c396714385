import { z } from 'zod'

const level = z.int().min(1).max(5)
const fixedLevels = z.object({ levels: z.object({ lowest: level, highest: level }) })

/**
 * The difficulty of a swarm's tasks: the level of the newest proposals, or the levels that the environment draws its questions from if nobody
 * proposes.
 *
 * @param environment - as the gateway tells it, which may be anything.
 * @returns a level, or words if there is no single one.
 */
export function difficultyOf(status: { level: number | null; environment?: unknown }): number | string {
  if (status.level !== null) return status.level
  const fixed = fixedLevels.safeParse(status.environment)
  if (!fixed.success) return 'Not set yet'
  const { lowest, highest } = fixed.data.levels
  return lowest === highest ? lowest : `Levels ${lowest} to ${highest} of 5`
}
