import type { Ruling } from '#chain/challenges/rulings.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'

/** A peer's score of a round after challenges and appeals, and who decided it. */
export type StandingScore = Pick<Settlement, 'outcome' | 'scoreMilli'> & {
  decidedBy: 'committee' | 'jury' | 'challenge'
}

/**
 * The score that stands: 0 if a leaf was false or withheld, else that of a jury which changed the committee's. An open appeal changes nothing
 * yet.
 *
 * @param settled - null if the chain has no settlement.
 * @param rulings - those on the peer's round.
 * @returns null if nothing is decided.
 */
export function standingScore(
  settled: Pick<Settlement, 'outcome' | 'scoreMilli'> | null,
  rulings: readonly Ruling[],
): StandingScore | null {
  const lost = rulings.find(ruling => ruling.kind === 'lost')
  if (lost !== undefined) return { outcome: lost.outcome, scoreMilli: 0, decidedBy: 'challenge' }
  if (settled === null) return null
  const closed = rulings.find(ruling => ruling.kind === 'closed')
  // Two juries may lead from a 0 to another: of work that was unavailable to one that was scored, or the reverse.
  if (closed !== undefined && (closed.scoreMilli !== settled.scoreMilli || closed.outcome !== settled.outcome))
    return { outcome: closed.outcome, scoreMilli: closed.scoreMilli, decidedBy: 'jury' }
  return { outcome: settled.outcome, scoreMilli: settled.scoreMilli, decidedBy: 'committee' }
}
