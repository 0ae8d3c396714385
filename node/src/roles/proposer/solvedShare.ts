import type { PeerNode } from '../peerNode.ts'

/**
 * How much of a settled round was solved: as the mean settled score tells it.
 *
 * @returns 0 to 1, or null where nothing was scored.
 */
export async function solvedShare({ chain, environment }: PeerNode, round: number): Promise<number | null> {
  const settlements = (await chain.readSettlements(round)).filter(({ outcome }) => outcome === 'scored')
  if (settlements.length === 0) return null
  const mean = settlements.reduce((sum, { scoreMilli }) => sum + scoreMilli / 1000, 0) / settlements.length
  return environment.solvedShare(mean)
}
