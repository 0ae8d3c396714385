import type { Hex } from 'viem'
import type { Ballot } from '../../../node/src/chain/votes/votes.ts'
import type { PeerScore } from '../../../node/src/core/payloads/scoreSheet.ts'
import type { Bundle, Rules } from './bundles.ts'
import { type Member, OWED, type Swarm } from './openSwarm.ts'

/** Rounds of work. */
export const ROUNDS = 2

/** Rounds from the work to the end of its openings. */
export const PAID_AFTER = 6

/** Cost of work in Nectar: a tenth of what it earns an average solver, half of what it earns an evaluator. */
export const LEAF_COST = 0.1 * (1_000 / 6 / OWED)
export const SCORE_COST = 0.5 * (200 / 5 / 6)

/** Cost in Nectar of censoring a rival's commitment for a round: a tenth of what it earns an average solver. */
export const DRIVING_COST = 0.1 * (1_000 / 6)

/** The players. Each has its own account, unless `ownAccount` puts all of the attacker's into one. */
export interface Players {
  readonly honestSeats: readonly Member[]
  readonly ownSeats: readonly Member[]
  readonly rivals: readonly Member[]
  readonly ownKeys: readonly Member[]
}

/** A commitment of a solver in a round. */
export interface Commitment {
  readonly peer: Member
  readonly isOwn: boolean
  readonly bundle: Bundle
  /** Its average score, which everybody knows from earlier rounds. */
  readonly abilityMilli: number
  /** Honest seats that get its bundle; all if absent. */
  readonly servedTo?: (seat: number) => boolean
  /** Worth of the sampled leaves, by index, once they are drawn. */
  worth: ReadonlyMap<number, number>
}

/** Work of one of the attacker's keys in a round. */
export interface Work {
  readonly bundle: Bundle
  /** Answers made for it, thrown away or not. */
  readonly answers: number
  readonly servedTo?: Commitment['servedTo']
}

/** Knowledge of one of the attacker's keys when it works. */
interface SolverView {
  /** Index among the attacker's keys. */
  readonly at: number
  /** Makes a bundle in its own name. */
  make(leafCount: number, tries?: number): Bundle
  /** Commitments of rivals so far in this round. */
  readonly seen: readonly Commitment[]
}

/** Knowledge of one of the attacker's seats when it votes. */
interface SeatView {
  readonly round: number
  readonly peers: readonly Commitment[]
  /** Scores a peer; this costs work. */
  score(peer: Commitment): PeerScore
  /** A peer's claim about its own worth, on `SwarmCoordinator`, where it is not checked. */
  claimOf(peer: Commitment): PeerScore
}

/** An attacker's strategy. Absent steps are played honestly. */
export interface Play {
  work?(view: SolverView): Work | null
  /** A vote on each peer with the leaves' scores behind it, or null to stay away. */
  vote?(view: SeatView): readonly PeerScore[] | null
  /** Rounds in which no rival's commitment reaches the chain. */
  drivesAway?(round: number): boolean
  /** Sends the sealed ballot of the first honest seat as its own, and opens it when that is open. */
  copiesBallots?: boolean
}

export interface Setting {
  readonly rules: Rules
  /** Whether a sealed ballot names its evaluator. */
  readonly bindsBallots: boolean
  /** Whether a leaf names its peer. */
  readonly bindsLeaves: boolean
  /** Whether claims of solvers are true. */
  readonly claimsAreTrue: boolean
}

/** A sealed ballot and its opening. */
export interface Sealed {
  readonly voter: Member
  readonly ballot: Ballot
  readonly salt: Hex
  /** Scores behind the ballot, by the peers' ordinals. */
  readonly scores: readonly PeerScore[]
}

/** A running game. */
export interface Game {
  readonly swarm: Swarm
  readonly players: Players
  readonly setting: Setting
  readonly play: Play
  readonly seed: number
  /** Nectar. */
  cost: number
  /** Commitments by round. */
  readonly committed: Map<number, Commitment[]>
  readonly sealed: Map<number, Sealed[]>
}
