import { TOLERANCE_MILLI } from '@waggle/deployments/protocol'
import type { Hex } from '#core/hex.ts'
import type { LeafScore, PeerScore } from '#core/payloads/payloads.ts'
import type { Leeway } from '../checking/checkSampling.ts'
import type { StandingScore } from './standingScore.ts'

/** The leaves whose sampling decides whether a score counts. `unchecked`: the score if they were proven. */
export type AuditedSampling = {
  result: 'proven' | 'refuted' | 'unchecked'
  leaves: number[]
  reason: string | null
  /** Null if it is not proven. */
  leeway: Leeway | null
  /** The base that this machine would need to check it, by the hash of its weights; null if it lacks none. */
  lacksBase: Hex | null
}

/**
 * An audit's verdict on the score that stands, of a committee or a jury.
 *
 * `agrees`: the score derived here is within the tolerance. `differs`: it is not. `not scored`: the round is void, or the peer lost it by a rule of the
 * chain, or too few votes were opened: there is no score to compare. `unchecked`: it is not settled yet, its rollouts or policy are
 * unavailable, or those who decided it could not get them.
 */
export type PeerVerdict = 'agrees' | 'differs' | 'not scored' | 'unchecked'

/** The score that stands and the recomputed score of a peer, with what kept its rollouts from being scored here. */
type Compared = {
  /** Null if nothing is decided. */
  standing: StandingScore | null
  derivedMilli: number | null
  sampling: Pick<AuditedSampling, 'result' | 'reason'> | null
  unread: string | null
}

/** @returns the verdict, and why it is `unchecked`; null for other verdicts. */
export function peerVerdict({ standing, derivedMilli, sampling, unread }: Compared): {
  verdict: PeerVerdict
  reason: string | null
} {
  if (standing === null) return { verdict: 'unchecked', reason: 'it is not settled' }
  if (standing.outcome === 'unavailable')
    return { verdict: 'unchecked', reason: `its ${standing.decidedBy} could not get its work` }
  if (standing.outcome !== 'scored') return { verdict: 'not scored', reason: null }
  if (derivedMilli === null || sampling === null || sampling.result === 'unchecked')
    return { verdict: 'unchecked', reason: unread ?? sampling?.reason ?? null }
  const agrees = Math.abs(standing.scoreMilli - derivedMilli) <= TOLERANCE_MILLI
  return { verdict: agrees ? 'agrees' : 'differs', reason: null }
}

/** The leaf and the component in which a score sheet differs most from the derived scores; thousandths. */
export type LeafDifference = { leaf: number; component: string; expectedMilli: number; foundMilli: number | null }

/**
 * Step at which a vote goes wrong.
 *
 * @param found - leaves of the evaluator's score sheet.
 * @param expected - the same leaves, scored here.
 * @returns null if all leaves agree, so that only the vote differs.
 */
export function compareScores(found: readonly LeafScore[], expected: PeerScore['leaves']): LeafDifference | null {
  let furthest: { by: number; difference: LeafDifference } | null = null
  for (const leaf of expected) {
    const told = found.find(({ index }) => index === leaf.index)
    const names = new Set([...Object.keys(leaf.components), ...Object.keys(told?.components ?? {})])
    for (const component of names) {
      const expectedMilli = milliOf(leaf.components, component)
      const foundMilli = told === undefined ? null : milliOf(told.components, component)
      const by = Math.abs((foundMilli ?? 2000) - expectedMilli)
      if (by > 0 && (furthest === null || by > furthest.by))
        furthest = { by, difference: { leaf: leaf.index, component, expectedMilli, foundMilli } }
    }
  }
  return furthest?.difference ?? null
}

/** 0 without one: a score sheet's author chooses the names, and every object has a `constructor`. */
function milliOf(components: LeafScore['components'], name: string): number {
  return Object.hasOwn(components, name) ? (components[name] ?? 0) : 0
}
