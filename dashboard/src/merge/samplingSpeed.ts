import type { Sampled } from '#sources/getSampled.ts'
import { formatFigure } from './trainingFigures.ts'

/**
 * Samples of a round and their rate: committed completion tokens over the length of the round.
 *
 * @param peerKey - of one solver; everybody by default.
 * @returns null if nothing was sampled.
 */
export function samplingSpeed({ round, seconds, solvers }: Sampled, peerKey?: string) {
  const counted = solvers.filter(solver => peerKey === undefined || solver.peerKey === peerKey)
  if (counted.length === 0) return null
  const tokens = counted.reduce((sum, solver) => sum + solver.tokens, 0)
  const by = peerKey === undefined ? ` by ${counted.length} ${counted.length === 1 ? 'solver' : 'solvers'}` : ''
  return {
    speed: formatFigure(tokens / seconds),
    note: `${formatFigure(tokens)} completion tokens committed in round ${round}${by}, over its ${formatFigure(seconds)} s`,
  }
}
