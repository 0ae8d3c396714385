import { index, onchainEnum, onchainTable, primaryKey } from 'ponder'

export const gameStatus = onchainEnum('game_status', ['open', 'answered', 'disputed', 'resolved', 'void'])

/** A game of the prediction market. Amounts are in the token's smallest unit. */
export const game = onchainTable(
  'game',
  t => ({
    gameId: t.bigint().primaryKey(),
    /** Account of the Judge. */
    judge: t.hex().notNull(),
    /** The Judge's description: JSON with `question` and `choices`, or anything else. */
    details: t.text().notNull(),
    /** The Judge's commitment to clues and answer. */
    root: t.hex().notNull(),
    /** Rounds of betting, each with a clue. */
    roundCount: t.integer().notNull(),
    /** Number of choices. */
    choiceCount: t.integer().notNull(),
    startsAtSec: t.int8({ mode: 'number' }).notNull(),
    /** Length of a round's betting, seconds. */
    bettingSec: t.integer().notNull(),
    /** Time for a clue or the answer, seconds. */
    revealSec: t.integer().notNull(),
    /** Time for a dispute, seconds. */
    disputeSec: t.integer().notNull(),
    /** The least bet. */
    minBet: t.bigint().notNull(),
    /** Shares that a round may add to a choice besides a tenth of its shares. */
    freeShares: t.bigint().notNull(),
    /** The Judge's bond. */
    bond: t.bigint().notNull(),
    /** The Judge's part of the losing stakes if its answer stands, in ten-thousandths. */
    feeBps: t.integer().notNull(),
    /** The Judge's fee. */
    fee: t.bigint().notNull().default(0n),
    /** Its phase. */
    status: gameStatus().notNull().default('open'),
    /** Rounds that took bets, take bets, or take them next. */
    roundsOpened: t.integer().notNull().default(1),
    /** Number of bets. */
    bets: t.integer().notNull().default(0),
    /** Sum of its bets. */
    totalStake: t.bigint().notNull().default(0n),
    /** The Judge's, once proven. */
    answer: t.integer(),
    /** Unix time of the answer, seconds. */
    answeredAtSec: t.int8({ mode: 'number' }),
    /** Account that disputed the answer; null if nobody did. */
    disputer: t.hex(),
    /** Unix time of the dispute, seconds. */
    disputedAtSec: t.int8({ mode: 'number' }),
    /** The winning choice; null if nobody won. */
    winner: t.integer(),
    /** Nectar that holders divide in addition to their stakes, once the game has ended. */
    pot: t.bigint(),
    /** Nectar that holders claimed. */
    paidOut: t.bigint().notNull().default(0n),
    /** The rounding remainder, burnt. */
    dustBurnt: t.bigint().notNull().default(0n),
    /** Unix time of its end, seconds; null before. */
    endedAtSec: t.int8({ mode: 'number' }),
    /** Unix time at which it was opened, seconds. */
    createdAtSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byStatus: index().on(table.status), byJudge: index().on(table.judge) }),
)

/** Stakes on a choice. Its shares follow from all bets of each round, and are on the chain (`choiceOf`). */
export const gameChoice = onchainTable(
  'game_choice',
  t => ({
    gameId: t.bigint().notNull(),
    choice: t.integer().notNull(),
    stake: t.bigint().notNull().default(0n),
  }),
  table => ({ pk: primaryKey({ columns: [table.gameId, table.choice] }) }),
)

/** A proven clue; it ends the betting on its round. */
export const gameClue = onchainTable(
  'game_clue',
  t => ({
    gameId: t.bigint().notNull(),
    round: t.integer().notNull(),
    /** Its text, as the Judge committed to it. */
    clue: t.text().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.gameId, table.round] }) }),
)

/** A bet. */
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
    /** Shares that it bought, unless later bets of its round on the choice dilute them. */
    shares: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byGame: index().on(table.gameId), byAccount: index().on(table.account) }),
)

/** A holder's payout of a game: winnings or a refund. */
export const gamePayout = onchainTable(
  'game_payout',
  t => ({
    id: t.text().primaryKey(),
    gameId: t.bigint().notNull(),
    holder: t.hex().notNull(),
    account: t.hex().notNull(),
    /** Tokens. */
    payout: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byGame: index().on(table.gameId), byAccount: index().on(table.account) }),
)

/** A holder's stakes in a game, and its payout: 0 until the game has ended. */
export const gameHolding = onchainTable(
  'game_holding',
  t => ({
    gameId: t.bigint().notNull(),
    /** As in its bets. */
    holder: t.hex().notNull(),
    /** Account of its last bet. */
    account: t.hex().notNull(),
    /** Sum of its bets. */
    staked: t.bigint().notNull(),
    /** Nectar that it has claimed. */
    claimed: t.bigint().notNull().default(0n),
    /** Winnings or a refund that it can claim now. */
    claimable: t.bigint().notNull().default(0n),
  }),
  table => ({ pk: primaryKey({ columns: [table.gameId, table.holder] }), byAccount: index().on(table.account) }),
)
