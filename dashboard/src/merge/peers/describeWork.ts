import { MAX_MISSES } from '@waggle/deployments/protocol'
import type { PeerAnswer } from '#sources/getPeerRecord.ts'
import { isOnlyJudge, roundRoles } from '../peerHistory.ts'

function missed({ misses, missedRound }: NonNullable<PeerAnswer['evaluator']>): string {
  return misses === 0 ? '' : `, with ${misses} of ${MAX_MISSES} misses after round ${missedRound}`
}

function span({ fromRound, untilRound }: NonNullable<PeerAnswer['evaluator']>): string {
  if (untilRound === null) return `seated since round ${fromRound}`
  if (untilRound <= fromRound) return 'left before its seat began'
  return `seated from round ${fromRound} until round ${untilRound}`
}

/** The roles of a peer and its seat, in a sentence; null for one that only judges games. */
export function describeWork(record: PeerAnswer): string | null {
  if (isOnlyJudge(record)) return null
  const roles = roundRoles(record)
  const seat = record.evaluator
  if (roles.length === 0)
    return `Registered; it has not taken part in a round yet. Its key counts from round ${record.peer?.countsFromRound} on.`
  const names = roles.map(role => role.charAt(0).toUpperCase() + role.slice(1)).join(', ')
  if (seat === null) return `${names}.`
  return `${names}, ${span(seat)}; opened ${seat.votesRevealed} of ${seat.votesCommitted} sealed votes${missed(seat)}.`
}
