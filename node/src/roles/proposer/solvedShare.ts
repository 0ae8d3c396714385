import { structureChecks } from '#environments/codezero/structure.ts'
import type { PeerNode } from '../peerNode.ts'

/**
 * How much of a settled round was solved: the mean settled score, less what form alone is worth.
 *
 * @returns 0 to 1, or null where nothing was scored.
 */
export async function solvedShare({ chain, environment }: PeerNode, round: number): Promise<number | null> {
  const settlements = (await chain.readSettlements(round)).filter(({ outcome }) => outcome === 'scored')
  if (settlements.length === 0) return null
  const { weights } = environment.spec
  const form = structureChecks.reduce((sum, name) => sum + weights[name], 0)
  const mean = settlements.reduce((sum, { scoreMilli }) => sum + scoreMilli / 1000, 0) / settlements.length
  return Math.min(1, Math.max(0, (mean - form) / weights.predictedCorrectness))
}
