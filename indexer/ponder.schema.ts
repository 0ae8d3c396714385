import {
  bigint,
  hex,
  index,
  integer,
  onchainEnum,
  onchainTable,
  onchainView,
  primaryKey,
  relations,
  sql,
  text,
} from 'ponder'
import type { Span } from './src/schedule.ts'

/** A registered peer and what it has earned. */
export const peer = onchainTable(
  'peer',
  t => ({
    /** keccak-256 of the base58 peer id; every other table speaks of peers by it. */
    peerKey: t.hex().primaryKey(),
    peerId: t.text().notNull(),
    /** Three words, a pure function of the peer id; kept so that a search by name is a query. */
    name: t.text().notNull(),
    account: t.hex().notNull(),
    registeredAtSec: t.int8({ mode: 'number' }).notNull(),
    moves: t.integer().notNull().default(0),
    /** Points settled so far, provisional ones included. */
    pointsMilli: t.bigint().notNull().default(0n),
    /** Nectar minted for it so far, wei. */
    claimedWei: t.bigint().notNull().default(0n),
    roundsProposed: t.integer().notNull().default(0),
    roundsSolved: t.integer().notNull().default(0),
    roundsSettled: t.integer().notNull().default(0),
    lastActiveRound: t.integer(),
  }),
  table => ({
    byPoints: index().on(table.pointsMilli),
    byPeerId: index().on(table.peerId),
    byName: index().on(table.name),
    byAccount: index().on(table.account),
  }),
)

/** An evaluator's latest seat. `untilRound` is the first round without it, null while it sits. */
export const evaluator = onchainTable('evaluator', t => ({
  peerKey: t.hex().primaryKey(),
  fromRound: t.integer().notNull(),
  untilRound: t.integer(),
  /** First round of the seat that it has by the role, and of the one that it staked for; null where it has none. */
  admittedFromRound: t.integer(),
  stakedFromRound: t.integer(),
  votesCommitted: t.integer().notNull().default(0),
  votesRevealed: t.integer().notNull().default(0),
  /** Absences when one was last counted: 1 for a silence, 3 for a ballot that stayed sealed. A reveal clears them. */
  misses: t.integer().notNull().default(0),
}))

/** Every span of rounds for which a peer had a seat; one that was given by the role ends with bootstrap. */
export const evaluatorSeat = onchainTable(
  'evaluator_seat',
  t => ({
    peerKey: t.hex().notNull(),
    fromRound: t.integer().notNull(),
    untilRound: t.integer(),
  }),
  table => ({ pk: primaryKey({ columns: [table.peerKey, table.fromRound] }) }),
)

/** One row: first round whose seats and tasks need stakes. */
export const bootstrap = onchainTable('bootstrap', t => ({ id: t.text().primaryKey(), rounds: t.integer().notNull() }))

export const duty = onchainEnum('duty', ['evaluator', 'proposer'])

/** What a peer stakes for a duty, wei. */
export const stake = onchainTable(
  'stake',
  t => ({
    peerKey: t.hex().notNull(),
    duty: duty().notNull(),
    amountWei: t.bigint().notNull(),
    /** Slashed and burnt so far. */
    slashedWei: t.bigint().notNull().default(0n),
    /** First round in which it can be withdrawn, unless it is held for longer; null while no notice was given. */
    freeFromRound: t.integer(),
  }),
  table => ({ pk: primaryKey({ columns: [table.peerKey, table.duty] }) }),
)

/** One slash. */
export const slashing = onchainTable(
  'slashing',
  t => ({
    /** Ponder's event id: sorts as the chain does. */
    id: t.text().primaryKey(),
    peerKey: t.hex().notNull(),
    duty: duty().notNull(),
    slasher: t.hex().notNull(),
    lostWei: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byPeer: index().on(table.peerKey) }),
)

/** One row: the schedule and the environments as announced, from which every round's times are computed. */
export const clock = onchainTable('clock', t => ({
  id: t.text().primaryKey(),
  schedule: t.jsonb().$type<Span[]>().notNull(),
  environments: t.jsonb().$type<{ fromRound: number; hash: `0x${string}` }[]>().notNull(),
  /** Highest round that has a row. */
  latestRound: t.integer(),
}))

/** A round in which something happened, or for which tasks were committed. */
export const round = onchainTable('round', t => ({
  number: t.integer().primaryKey(),
  startsAtSec: t.int8({ mode: 'number' }).notNull(),
  endsAtSec: t.int8({ mode: 'number' }).notNull(),
  /** Chain time from which the round's points are final. */
  finalAtSec: t.int8({ mode: 'number' }).notNull(),
  environmentHash: t.hex().notNull(),
  /** Hash of the block that was fixed after the round's end; null while, or for ever if, nobody recorded it. */
  beacon: t.hex(),
  beaconBlock: t.integer(),
  /** Peers that committed tasks, and rollouts; an amendment does not count again. */
  taskCommitments: t.integer().notNull().default(0),
  rolloutCommitments: t.integer().notNull().default(0),
  /** What they committed, as they count it. */
  tasks: t.integer().notNull().default(0),
  rollouts: t.integer().notNull().default(0),
  votesCommitted: t.integer().notNull().default(0),
  votesRevealed: t.integer().notNull().default(0),
  settled: t.integer().notNull().default(0),
  scored: t.integer().notNull().default(0),
  unavailable: t.integer().notNull().default(0),
  noQuorum: t.integer().notNull().default(0),
  void: t.integer().notNull().default(0),
  falseLeaf: t.integer().notNull().default(0),
  withheld: t.integer().notNull().default(0),
  /** Sum over settled peers; the mean reward is this over `scored + unavailable`. */
  scoreMilliSum: t.integer().notNull().default(0),
}))

/** What a proposer committed for a round. The latest wins; `amendments` counts the earlier ones. */
export const tasksCommitment = onchainTable(
  'tasks_commitment',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    root: t.hex().notNull(),
    count: t.integer().notNull(),
    contentId: t.hex().notNull(),
    amendments: t.integer().notNull().default(0),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)

/** What a solver committed for a round. The latest wins; `amendments` counts the earlier ones. */
export const rolloutCommitment = onchainTable(
  'rollout_commitment',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    root: t.hex().notNull(),
    leafCount: t.integer().notNull(),
    policyHash: t.hex().notNull(),
    contentId: t.hex().notNull(),
    amendments: t.integer().notNull().default(0),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)

/** A peer's place among those of a round, by first commitment: votes are cast by place. */
export const roundPlace = onchainTable(
  'round_place',
  t => ({ round: t.integer().notNull(), ordinal: t.integer().notNull(), peerKey: t.hex().notNull() }),
  table => ({ pk: primaryKey({ columns: [table.round, table.ordinal] }) }),
)

/** An evaluator's sealed votes for a shard of a round, and whether it opened them. */
export const voteCommit = onchainTable(
  'vote_commit',
  t => ({
    round: t.integer().notNull(),
    evaluatorKey: t.hex().notNull(),
    /** Peers 32 * shard on, in the order in which they committed. */
    shard: t.integer().notNull(),
    commitment: t.hex().notNull(),
    committedAtSec: t.int8({ mode: 'number' }).notNull(),
    revealedAtSec: t.int8({ mode: 'number' }),
    /** Content id of the score sheet, known once revealed. */
    contentId: t.hex(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.evaluatorKey, table.shard] }),
    byEvaluator: index().on(table.evaluatorKey),
  }),
)

/** One evaluator's revealed vote on one peer; `scoreMilli` is null where it voted `unavailable`. */
export const vote = onchainTable(
  'vote',
  t => ({
    round: t.integer().notNull(),
    evaluatorKey: t.hex().notNull(),
    peerKey: t.hex().notNull(),
    scoreMilli: t.integer(),
    componentRoot: t.hex().notNull(),
    contentId: t.hex().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.evaluatorKey, table.peerKey] }),
    byPeer: index().on(table.peerKey, table.round),
  }),
)

export const settlementOutcome = onchainEnum('settlement_outcome', [
  'scored',
  'unavailable',
  'noQuorum',
  'void',
  'falseLeaf',
  'withheld',
])

/** A peer's result in a round: provisional until chain time reaches `finalAtSec`. */
export const settlement = onchainTable(
  'settlement',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    outcome: settlementOutcome().notNull(),
    scoreMilli: t.integer().notNull(),
    votes: t.integer().notNull(),
    finalAtSec: t.int8({ mode: 'number' }).notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.peerKey] }),
    byPeer: index().on(table.peerKey),
    byFinality: index().on(table.finalAtSec),
  }),
)

export const demandState = onchainEnum('demand_state', ['open', 'shown', 'withheld'])

/** A sampled leaf that somebody could not have, and demanded to see on the chain. */
export const leafDemand = onchainTable(
  'leaf_demand',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** The leaf's place among the peer's. */
    index: t.integer().notNull(),
    state: demandState().notNull().default('open'),
    challenger: t.hex().notNull(),
    bondWei: t.bigint().notNull(),
    /** Last round in which it can be shown. */
    throughRound: t.integer().notNull(),
    responder: t.hex(),
    /** What the responder is paid from the bond. */
    paidWei: t.bigint(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.peerKey, table.index] }),
    byPeer: index().on(table.peerKey),
  }),
)

/** A settled score that was appealed, with all its appeals. */
export const appealCase = onchainTable(
  'appeal_case',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    settledMilli: t.integer().notNull(),
    isClosed: t.boolean().notNull().default(false),
    /** Whether the peer lost the round for another reason meanwhile. */
    isMoot: t.boolean().notNull().default(false),
    /** The score that stands, once it is closed. */
    finalMilli: t.integer(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)

/** One appeal of a case. */
export const appeal = onchainTable(
  'appeal',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    level: t.integer().notNull(),
    appellant: t.hex().notNull(),
    bondWei: t.bigint().notNull(),
    /** Seats that judge. */
    drawn: t.integer().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey, table.level] }) }),
)

export const seatFault = onchainEnum('seat_fault', ['silent', 'sealed', 'overturned'])

/** A seat's part in an appeal; level 0 is the committee that was overturned. */
export const appealVerdict = onchainTable(
  'appeal_verdict',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    level: t.integer().notNull(),
    seatKey: t.hex().notNull(),
    /** Its place among the seats drawn; null where it never committed. */
    position: t.integer(),
    isRevealed: t.boolean().notNull().default(false),
    /** Null while it is sealed, and where it said `unavailable`. */
    scoreMilli: t.integer(),
    paidWei: t.bigint().notNull().default(0n),
    /** What it was blamed for. */
    fault: seatFault(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey, table.level, table.seatKey] }) }),
)

export const feedKind = onchainEnum('feed_kind', [
  'peerRegistered',
  'peerMoved',
  'bootnodesSet',
  'scheduleSet',
  'environmentSet',
  'beaconDrawn',
  'evaluatorAdmitted',
  'evaluatorRemoved',
  'tasksCommitted',
  'rolloutsCommitted',
  'votesCommitted',
  'votesRevealed',
  'settled',
  'leafFalse',
  'leafDemanded',
  'leafShown',
  'leafWithheld',
  'appealOpened',
  'appealClosed',
  'nectarClaimed',
  'staked',
  'unstaking',
  'stakeWithdrawn',
  'slashed',
])

/** One row per event, in chain order: what the live feed shows. */
export const feedItem = onchainTable(
  'feed_item',
  t => ({
    /** Ponder's event id: sorts as the chain does. */
    id: t.text().primaryKey(),
    kind: feedKind().notNull(),
    round: t.integer(),
    peerKey: t.hex(),
    detail: t.jsonb().$type<Record<string, string | number | null>>().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    blockNumber: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byPeer: index().on(table.peerKey), byRound: index().on(table.round) }),
)

export const gameStatus = onchainEnum('game_status', ['open', 'answered', 'disputed', 'resolved', 'void'])

/** A game of the prediction market. Amounts are in the token's smallest unit. */
export const game = onchainTable(
  'game',
  t => ({
    gameId: t.bigint().primaryKey(),
    judge: t.hex().notNull(),
    /** What the Judge wrote of it: JSON with `question` and `choices`, or anything else. */
    details: t.text().notNull(),
    root: t.hex().notNull(),
    roundCount: t.integer().notNull(),
    choiceCount: t.integer().notNull(),
    startsAtSec: t.int8({ mode: 'number' }).notNull(),
    bettingSec: t.integer().notNull(),
    revealSec: t.integer().notNull(),
    disputeSec: t.integer().notNull(),
    minBet: t.bigint().notNull(),
    virtualStake: t.bigint().notNull(),
    bond: t.bigint().notNull(),
    status: gameStatus().notNull().default('open'),
    /** Rounds whose prices are fixed. */
    roundsOpened: t.integer().notNull().default(0),
    bets: t.integer().notNull().default(0),
    totalStake: t.bigint().notNull().default(0n),
    /** The Judge's, once proven. */
    answer: t.integer(),
    answeredAtSec: t.int8({ mode: 'number' }),
    disputer: t.hex(),
    /** The choice that won, null where nobody did. */
    winner: t.integer(),
    /** What holders divide beside their stakes, once the game has ended. */
    pot: t.bigint(),
    paidOut: t.bigint().notNull().default(0n),
    dustBurnt: t.bigint().notNull().default(0n),
    endedAtSec: t.int8({ mode: 'number' }),
    createdAtSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byStatus: index().on(table.status), byJudge: index().on(table.judge) }),
)

/** Stakes and shares of a choice now. */
export const gameChoice = onchainTable(
  'game_choice',
  t => ({
    gameId: t.bigint().notNull(),
    choice: t.integer().notNull(),
    stake: t.bigint().notNull().default(0n),
    shares: t.bigint().notNull().default(0n),
  }),
  table => ({ pk: primaryKey({ columns: [table.gameId, table.choice] }) }),
)

/** The price of a choice in a round, 1e18 fixed point. */
export const gamePrice = onchainTable(
  'game_price',
  t => ({
    gameId: t.bigint().notNull(),
    round: t.integer().notNull(),
    choice: t.integer().notNull(),
    price: t.bigint().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.gameId, table.round, table.choice] }) }),
)

/** A proven clue; it ends the betting on its round. */
export const gameClue = onchainTable(
  'game_clue',
  t => ({
    gameId: t.bigint().notNull(),
    round: t.integer().notNull(),
    clue: t.text().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.gameId, table.round] }) }),
)

export const gameBet = onchainTable(
  'game_bet',
  t => ({
    /** Ponder's event id: sorts as the chain does. */
    id: t.text().primaryKey(),
    gameId: t.bigint().notNull(),
    /** The account as 32 bytes, or the key of a peer that bet through RL Swarm's interface. */
    holder: t.hex().notNull(),
    account: t.hex().notNull(),
    round: t.integer().notNull(),
    choice: t.integer().notNull(),
    stake: t.bigint().notNull(),
    shares: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byGame: index().on(table.gameId), byAccount: index().on(table.account) }),
)

/** What a holder was paid: winnings or a refund, once a game. */
export const gamePayout = onchainTable(
  'game_payout',
  t => ({
    id: t.text().primaryKey(),
    gameId: t.bigint().notNull(),
    holder: t.hex().notNull(),
    account: t.hex().notNull(),
    payout: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byGame: index().on(table.gameId), byAccount: index().on(table.account) }),
)

/** The peers to dial first, as last set. */
export const bootnodeSet = onchainTable('bootnode_set', t => ({
  id: t.text().primaryKey(),
  multiaddrs: t.text().array().notNull(),
}))

/** Ponder keeps chain, block and time of its last block in one string that starts with ten digits of Unix seconds. */
const chainTimeSec = sql`(SELECT COALESCE(MAX(SUBSTR(latest_checkpoint, 1, 10)), '0')::numeric FROM _ponder_checkpoint)`

/**
 * The leaderboard. Points of rounds that are not final yet are set apart, by comparing each settlement's `finalAtSec`
 * with the time of the last indexed block: no row has to change when a round becomes final.
 */
export const standing = onchainView('standing', {
  rank: integer('rank').notNull(),
  peerKey: hex('peer_key').notNull(),
  peerId: text('peer_id').notNull(),
  name: text('name').notNull(),
  account: hex('account').notNull(),
  pointsMilli: bigint('points_milli').notNull(),
  finalPointsMilli: bigint('final_points_milli').notNull(),
  provisionalPointsMilli: bigint('provisional_points_milli').notNull(),
  roundsProposed: integer('rounds_proposed').notNull(),
  roundsSolved: integer('rounds_solved').notNull(),
  roundsSettled: integer('rounds_settled').notNull(),
  lastActiveRound: integer('last_active_round'),
}).as(sql`
  SELECT
    ROW_NUMBER() OVER (ORDER BY p.points_milli DESC, p.registered_at_sec, p.peer_key)::integer AS rank,
    p.peer_key, p.peer_id, p.name, p.account, p.points_milli,
    p.points_milli - COALESCE(s.provisional, 0) AS final_points_milli,
    COALESCE(s.provisional, 0)::numeric(78) AS provisional_points_milli,
    p.rounds_proposed, p.rounds_solved, p.rounds_settled, p.last_active_round
  FROM ${peer} p
  LEFT JOIN (
    SELECT peer_key, SUM(score_milli) AS provisional
    FROM ${settlement} WHERE final_at_sec > ${chainTimeSec}
    GROUP BY peer_key
  ) s ON s.peer_key = p.peer_key
`)

export const peerRelations = relations(peer, ({ one, many }) => ({
  evaluator: one(evaluator, { fields: [peer.peerKey], references: [evaluator.peerKey] }),
  settlements: many(settlement),
  stakes: many(stake),
  slashings: many(slashing),
  tasksCommitments: many(tasksCommitment),
  rolloutCommitments: many(rolloutCommitment),
  votesReceived: many(vote, { relationName: 'votesReceived' }),
}))

export const stakeRelations = relations(stake, ({ one }) => ({
  peer: one(peer, { fields: [stake.peerKey], references: [peer.peerKey] }),
}))

export const slashingRelations = relations(slashing, ({ one }) => ({
  peer: one(peer, { fields: [slashing.peerKey], references: [peer.peerKey] }),
}))

export const evaluatorRelations = relations(evaluator, ({ one, many }) => ({
  peer: one(peer, { fields: [evaluator.peerKey], references: [peer.peerKey] }),
  seats: many(evaluatorSeat),
  voteCommits: many(voteCommit),
}))

export const evaluatorSeatRelations = relations(evaluatorSeat, ({ one }) => ({
  evaluator: one(evaluator, { fields: [evaluatorSeat.peerKey], references: [evaluator.peerKey] }),
}))

export const tasksCommitmentRelations = relations(tasksCommitment, ({ one }) => ({
  peer: one(peer, { fields: [tasksCommitment.peerKey], references: [peer.peerKey] }),
}))

export const rolloutCommitmentRelations = relations(rolloutCommitment, ({ one }) => ({
  peer: one(peer, { fields: [rolloutCommitment.peerKey], references: [peer.peerKey] }),
}))

export const voteCommitRelations = relations(voteCommit, ({ one }) => ({
  evaluator: one(evaluator, { fields: [voteCommit.evaluatorKey], references: [evaluator.peerKey] }),
}))

export const voteRelations = relations(vote, ({ one }) => ({
  peer: one(peer, { fields: [vote.peerKey], references: [peer.peerKey], relationName: 'votesReceived' }),
  evaluator: one(peer, { fields: [vote.evaluatorKey], references: [peer.peerKey] }),
}))

export const settlementRelations = relations(settlement, ({ one }) => ({
  peer: one(peer, { fields: [settlement.peerKey], references: [peer.peerKey] }),
}))

export const leafDemandRelations = relations(leafDemand, ({ one }) => ({
  peer: one(peer, { fields: [leafDemand.peerKey], references: [peer.peerKey] }),
}))

export const appealCaseRelations = relations(appealCase, ({ one, many }) => ({
  peer: one(peer, { fields: [appealCase.peerKey], references: [peer.peerKey] }),
  appeals: many(appeal),
}))

export const appealRelations = relations(appeal, ({ one, many }) => ({
  case: one(appealCase, {
    fields: [appeal.round, appeal.peerKey],
    references: [appealCase.round, appealCase.peerKey],
  }),
  verdicts: many(appealVerdict),
}))

export const appealVerdictRelations = relations(appealVerdict, ({ one }) => ({
  appeal: one(appeal, {
    fields: [appealVerdict.round, appealVerdict.peerKey, appealVerdict.level],
    references: [appeal.round, appeal.peerKey, appeal.level],
  }),
  seat: one(peer, { fields: [appealVerdict.seatKey], references: [peer.peerKey] }),
}))

export const feedItemRelations = relations(feedItem, ({ one }) => ({
  peer: one(peer, { fields: [feedItem.peerKey], references: [peer.peerKey] }),
}))

export const gameRelations = relations(game, ({ many }) => ({
  choices: many(gameChoice),
  prices: many(gamePrice),
  clues: many(gameClue),
  placed: many(gameBet),
  payouts: many(gamePayout),
}))

export const gameChoiceRelations = relations(gameChoice, ({ one }) => ({
  game: one(game, { fields: [gameChoice.gameId], references: [game.gameId] }),
}))

export const gamePriceRelations = relations(gamePrice, ({ one }) => ({
  game: one(game, { fields: [gamePrice.gameId], references: [game.gameId] }),
}))

export const gameClueRelations = relations(gameClue, ({ one }) => ({
  game: one(game, { fields: [gameClue.gameId], references: [game.gameId] }),
}))

export const gameBetRelations = relations(gameBet, ({ one }) => ({
  game: one(game, { fields: [gameBet.gameId], references: [game.gameId] }),
}))

export const gamePayoutRelations = relations(gamePayout, ({ one }) => ({
  game: one(game, { fields: [gamePayout.gameId], references: [game.gameId] }),
}))
