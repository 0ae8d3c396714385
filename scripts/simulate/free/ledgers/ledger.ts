import type { Hex } from 'viem'
import type { PeerScore } from '../../../../node/src/core/payloads/scoreSheet.ts'
import type { TaskRef } from '../../../../node/src/core/payloads/taskProposal.ts'
import type { Member } from '../cast.ts'

/** Rounds from a round of work to each step on it, and from an appeal to each step of its case. */
export const AFTER = { votes: 1, reveals: 2, settlement: 3, openings: 4, closing: 5 } as const
export const CASE = { verdicts: 1, reveals: 2, known: 3, closing: 4 } as const

export interface Leaf {
  readonly index: number
  readonly task: TaskRef
  readonly seed: Hex
  readonly body: Hex
  readonly bodyHash: Hex
}

/** A commitment of a peer in a round. */
export interface Work {
  readonly round: number
  readonly peer: Member
  readonly leaves: readonly Leaf[]
  /** Whether the key was registered in the round itself. */
  readonly isFresh: boolean
}

/** A ballot with the scores behind it, by the ordinals of the shard. */
export interface Sealed {
  readonly round: number
  readonly shard: number
  readonly position: number
  readonly seat: Member
  readonly scores: readonly PeerScore[]
}

/** A seat's verdict in the newest appeal of a case. */
export interface Verdict {
  readonly round: number
  readonly peerKey: Hex
  readonly level: number
  readonly position: number
  readonly seat: Member
  readonly scoreMilli: number
}

export type Outcome = 'scored' | 'unavailable' | 'no quorum' | 'false' | 'withheld'

/** The leaf whose score a shard's seats open. */
export interface Drawn {
  readonly work: Work
  /** Index among the works of the round. */
  readonly ordinal: number
  /** Null where the peer committed none of the leaves that are scored. */
  readonly index: number | null
}

/**
 * The contracts as a game sees them: the real ones on a chain, or their reference models. A call returns whether it was accepted; a
 * refusal is not an error.
 */
export interface Ledger {
  readonly chainId: number
  /** Advances to a round, and records the beacon of the one before. */
  enter(round: number): Promise<void>
  /** Evaluators by seat, as they sit in a round that has begun. */
  seatsAt(round: number): Promise<readonly Hex[]>

  /** Commits to the secret of a round, in the last but one before it. */
  commitSecret(round: number, proposer: Member): Promise<boolean>
  propose(round: number, proposer: Member, count: number, tasks: Uint8Array): Promise<boolean>
  challengeSecret(round: number, proposer: Member): Promise<boolean>

  commit(work: Work): Promise<boolean>
  seal(ballot: Sealed): Promise<boolean>
  reveal(ballot: Sealed): Promise<boolean>
  settle(round: number): Promise<void>
  outcomeOf(round: number, peerKey: Hex): Promise<{ outcome: Outcome; scoreMilli: number } | null>
  /** Opens a seat's score for a leaf of the drawn work; refused for any but the drawn one. */
  open(ballot: Sealed, drawn: Drawn, index: number): Promise<boolean>
  /** Pays a shard's seats, and the proposer of the task that they opened. */
  close(round: number, shard: number, drawn: Drawn): Promise<void>

  challengeLeaf(work: Work, leaf: Leaf): Promise<boolean>
  /** Demands the leaf at a place of the draw of those that are scored. */
  demand(work: Work, place: number, index: number, by: Member): Promise<boolean>
  show(work: Work, index: number): Promise<boolean>
  closeDemand(work: Work, index: number): Promise<boolean>

  appeal(round: number, peerKey: Hex, by: Member): Promise<boolean>
  sealVerdict(verdict: Verdict): Promise<boolean>
  revealVerdict(verdict: Verdict): Promise<boolean>
  /** Closes a case, and pays and judges the seats of its levels. */
  closeCase(round: number, peerKey: Hex): Promise<boolean>

  /** Earnings of a peer, once all is final. */
  earnedWei(peerKey: Hex): Promise<bigint>
  /** Slashed part of a stake. */
  slashedWei(duty: 'evaluator' | 'proposer', peerKey: Hex): Promise<bigint>
  /** Nectar that an account got from others' stakes. */
  compensatedWei(account: Hex): Promise<bigint>
  /** Bonds and rewards returned to an account, less its bonds. */
  bondsWei(account: Hex): Promise<bigint>
}
