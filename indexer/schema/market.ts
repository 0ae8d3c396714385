import { index, onchainEnum, onchainTable, primaryKey } from 'ponder'

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
    freeShares: t.bigint().notNull(),
    bond: t.bigint().notNull(),
    /** The Judge's part of the losing stakes if its answer stands, in ten-thousandths. */
    feeBps: t.integer().notNull(),
    /** What it had of them. */
    fee: t.bigint().notNull().default(0n),
    status: gameStatus().notNull().default('open'),
    /** Rounds that took bets, take them, or take them next. */
    roundsOpened: t.integer().notNull().default(1),
    bets: t.integer().notNull().default(0),
    totalStake: t.bigint().notNull().default(0n),
    /** The Judge's, once proven. */
    answer: t.integer(),
    answeredAtSec: t.int8({ mode: 'number' }),
    disputer: t.hex(),
    /** The choice that won, null where nobody did. */
    winner: t.integer(),
    /** What holders divide on top of their stakes, once the game has ended. */
    pot: t.bigint(),
    paidOut: t.bigint().notNull().default(0n),
    dustBurnt: t.bigint().notNull().default(0n),
    endedAtSec: t.int8({ mode: 'number' }),
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
    /** What it bought, unless later bets of its round on the choice dilute it. */
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
