/**
 * Constants of the protocol, for code off the chain. Where a contract has the same constant, `contracts/test/protocol.test.ts`
 * compares the two.
 */

/** A vote that says: I could not get the peer's bundle. */
export const UNAVAILABLE = 65_535
/** Highest score, in thousandths. */
export const MAX_SCORE_MILLI = 1_000
/** Largest distance of a vote from the settled score at which it still agrees with it, in thousandths. */
export const TOLERANCE_MILLI = 25
/** Seats of a jury, of which each scores one shard. */
export const COMMITTEE_SEATS = 5
/** Peers in a shard, at most. */
export const SHARD_PEERS = 32

/** A peer's outcome gives its place on the chain to that of a round so many later. */
export const OUTCOME_RING = 12
/** Points of round r are final once round r + FINALITY_ROUNDS has ended. */
export const FINALITY_ROUNDS = 3
/** Rounds in which the chain stores a commitment, its own included. */
export const COMMITMENT_RING = FINALITY_ROUNDS + 3
/** Shortest round, in blocks: its steps wait for the beacon's block, that it stays, commitments, reveals, and settlement in the first three quarters. */
export const LEAST_BLOCKS_IN_ROUND = 12
/** End of a round of a schedule that is ended by hand, Unix time, seconds. */
export const NEVER_SEC = 2 ** 40 - 1
/** Nectar that a round gives for points, in wei. */
export const EMISSION_WEI = 1_000n * 10n ** 18n
/** Nectar that a round gives for tasks at most, in wei. */
export const PROPOSER_EMISSION_WEI = 100n * 10n ** 18n
/** Counted rounds of a key whose scores limit a weight, its own included. */
export const WEIGHT_WINDOW = 8
/** Weight of a thousandth of a point of a key that scored as much before. */
export const FULL_WEIGHT = 4 * WEIGHT_WINDOW

/** Tasks of one proposal, and its bytes as they are sent, at most. */
export const MAX_TASKS = 256
export const MAX_TASK_BYTES = 16_384

/** Appeals of a score, at most: the second is one of the first verdict. */
export const MAX_APPEALS = 2
/** Stake of an evaluator, in wei, and the part of it that an overturned vote costs, in thousandths. */
export const EVALUATOR_STAKE_WEI = 100n * 10n ** 18n
export const OVERTURNED_MILLI = 500
/** Misses in a row at which an evaluator loses its seat. */
export const MAX_MISSES = 6

/** In how many rounds after its own (before it, if negative) each phase of a round runs. Rollouts are committed in the round itself. */
export const phase = {
  /** Proposers commit to the hash of their secret. */
  promising: -2,
  /** Tasks are proposed, and the secret of their proposer is shown. */
  proposing: -1,
  /** Solvers name their policy, at the latest. */
  naming: -1,
  /** The beacon of the round is recorded, from which juries and scored leaves are drawn. */
  drawing: 1,
  /** Juries score and seal their votes. */
  voting: 1,
  /** Votes are opened. */
  revealing: 2,
  /** Votes are counted; what was settled can be appealed. */
  settling: 3,
  /** The round is final; seats open drawn scores. */
  opening: 4,
  /** Openings are counted, and seats and proposers paid. */
  paying: 5,
} as const

/**
 * In how many rounds after its own a round's payloads can last decide a score: a score is appealed while it is settled, the verdict once more as
 * many rounds later, and the jury of that reads in the next round.
 */
export const LAST_READING = 2 * phase.settling + phase.voting

/** Outcomes of a peer's round, by the contracts' numbers. */
export const settlementOutcomes = [
  'none',
  'scored',
  'unavailable',
  'no quorum',
  'void',
  'false leaf',
  'withheld',
] as const

/** Faults of a seat, by the contracts' numbers. */
export const seatFaults = ['sealed', 'overturned'] as const
