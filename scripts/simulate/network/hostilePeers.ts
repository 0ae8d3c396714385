import { randomStream } from '../../../node/model/src/base/random.ts'
import { hostileSeats } from './hostileSeats.ts'
import { hostileSolvers } from './hostileSolvers.ts'
import { hostileTraffic } from './hostileTraffic.ts'
import type { Hostile, Member } from './simulatedPeer.ts'

/** Hostile behaviours, by role and name. Each peer has a registered key, and each evaluator a seat. */
export const hostileKinds: Record<Member['role'], Readonly<Record<string, Hostile>>> = {
  solver: { ...hostileSolvers, ...hostileTraffic },
  evaluator: hostileSeats,
}

/** So that a fifth of the solvers and a fifth of the seats are hostile. */
const HOSTILE_EVERY = 5

/**
 * The kind of a peer, null for an honest one. Solvers have all kinds in turn, from one that the seed draws. Seats are few: each draws its
 * own, so that in some swarms they collude.
 *
 * @param number - of the peer among all.
 */
export function hostileKindOf(seed: string, number: number, role: Member['role']): string | null {
  if (number % HOSTILE_EVERY !== 0) return null
  const names = Object.keys(hostileKinds[role])
  const drawn = randomStream('hostile kinds', role === 'solver' ? seed : `${seed} ${number}`).integer(names.length)
  const turn = role === 'solver' ? number / HOSTILE_EVERY : 0
  return names[(drawn + turn) % names.length] as string
}
