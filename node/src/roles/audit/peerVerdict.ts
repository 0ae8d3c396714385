import { TOLERANCE_MILLI } from '@waggle/deployments/protocol'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { Leeway } from '../evaluator/checkSampling.ts'

/** The leaves whose sampling decides whether a score counts. `unchecked`: it is what it would be if they were proven. */
export type AuditedSampling = {
  result: 'proven' | 'refuted' | 'unchecked'
  leaves: number[]
  reason: string | null
  /** Null if it is not proven. */
  leeway: Leeway | null
}

/**
 * What an audit finds of a peer's settled score.
 *
 * `agrees`: the score derived here is within the tolerance. `differs`: it is not. `not scored`: the round is void, or the peer lost it by a rule of the
 * chain, or too few votes were opened: there is no score to compare. `unchecked`: it is not settled yet, nobody gives the rollouts or the policy, or
 * the committee could not get them.
 */
export type PeerVerdict = 'agrees' | 'differs' | 'not scored' | 'unchecked'

export function peerVerdict(
  settled: Pick<Settlement, 'outcome' | 'scoreMilli'> | null,
  derivedMilli: number | null,
  sampling: Pick<AuditedSampling, 'result'> | null,
): PeerVerdict {
  if (settled === null || settled.outcome === 'unavailable') return 'unchecked'
  if (settled.outcome !== 'scored') return 'not scored'
  if (derivedMilli === null || sampling === null || sampling.result === 'unchecked') return 'unchecked'
  return Math.abs(settled.scoreMilli - derivedMilli) <= TOLERANCE_MILLI ? 'agrees' : 'differs'
}
