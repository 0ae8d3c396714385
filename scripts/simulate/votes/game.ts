import type { Hex } from 'viem'
import type { Ballot } from '../../../node/src/chain/votes/votes.ts'
import type { PeerScore } from '../../../node/src/core/payloads/scoreSheet.ts'
import type { Bundle, Rules } from './bundles.ts'
import { type Member, OWED, type Swarm } from './openSwarm.ts'

/** Rounds that are worked in. */
export const ROUNDS = 2

/** Rounds from the work to the end of its openings. */
export const PAID_AFTER = 6

/** Nectar that work costs: a tenth of what an average solver earns by it, half of what an evaluator does. */
export const LEAF_COST = 0.1 * (1_000 / 6 / OWED)
export const SCORE_COST = 0.5 * (200 / 5 / 6)

/** Nectar that it costs to keep a rival's commitment from the chain for a round: a tenth of what an average solver earns by it. */
export const DRIVING_COST = 0.1 * (1_000 / 6)

/** Who plays. Each has its own account, except where `ownAccount` puts all of the attacker's into one. */
export interface Players {
  readonly honestSeats: readonly Member[]
  readonly ownSeats: readonly Member[]
  readonly rivals: readonly Member[]
  readonly ownKeys: readonly Member[]
}

/** What one solver has committed to in a round. */
export interface Commitment {
  readonly peer: Member
  readonly isOwn: boolean
  readonly bundle: Bundle
  /** What it gets on average: everybody knows it from earlier rounds. */
  readonly abilityMilli: number
  /** Honest seats that it serves its bundle to; all if absent. */
  readonly servedTo?: (seat: number) => boolean
  /** Worth of the sampled leaves, by index, once they are drawn. */
  worth: ReadonlyMap<number, number>
}

/** What an own key does in a round. */
export interface Work {
  readonly bundle: Bundle
  /** Answers made for it, thrown away or not. */
  readonly answers: number
  readonly servedTo?: Commitment['servedTo']
}

/** What an own key knows when it works. */
interface SolverView {
  /** Which of the own keys. */
  readonly at: number
  /** Makes a bundle in its own name. */
  make(leafCount: number, tries?: number): Bundle
  /** What rivals have committed to so far in this round. */
  readonly seen: readonly Commitment[]
}

/** What an own seat knows when it votes. */
interface SeatView {
  readonly round: number
  readonly peers: readonly Commitment[]
  /** Scores a peer, which is work. */
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
  /** Whether what solvers claim of themselves is what they are worth. */
  readonly claimsAreTrue: boolean
}

/** A ballot that was sealed, with what opens it. */
export interface Sealed {
  readonly voter: Member
  readonly ballot: Ballot
  readonly salt: Hex
  /** Behind the ballot, by the peers' ordinals. */
  readonly scores: readonly PeerScore[]
}

/** A run under way. */
export interface Game {
  readonly swarm: Swarm
  readonly players: Players
  readonly setting: Setting
  readonly play: Play
  readonly seed: number
  /** Nectar. */
  cost: number
  /** What was committed, by round. */
  readonly committed: Map<number, Commitment[]>
  readonly sealed: Map<number, Sealed[]>
}
